import { render } from "preact";
import { withoutBase } from "../ui/base.ts";
import { App } from "./app.tsx";

render(<App path={withoutBase(location.pathname)} />, document.getElementById("app")!);
