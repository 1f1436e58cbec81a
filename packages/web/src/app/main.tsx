import { render } from "preact";
import { App } from "./app.tsx";
import { withoutBase } from "../ui/base.ts";

render(<App path={withoutBase(location.pathname)} />, document.getElementById("app")!);
