import { render } from "preact";
import { App } from "./app.tsx";

render(<App path={location.pathname} />, document.getElementById("app")!);
