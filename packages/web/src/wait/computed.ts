import { readFileSync } from "node:fs";
import { browserScript } from "./browser-script.ts";

// Published packages have no sources: scripts/packages replaces these functions with their results.

export const waitScript = (): string => browserScript();

export const waitStyle = (): string =>
  [
    "../ui/style/colours",
    "./style/layout",
    "./style/waiting",
    "./style/outcome",
    "./style/move",
    "./style/motion",
  ]
    .map((path) => readFileSync(new URL(`${path}.css`, import.meta.url), "utf8"))
    .join("")
    .replace(/\/\*.*?\*\/|^\s+/gms, "");
