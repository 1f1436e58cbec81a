import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Setting } from "../../src/config/setting.ts";
import { flagOf, settings } from "../../src/config/settings.ts";
import { tableRows } from "./reference.ts";

const columns = ["Flag", "Variable", "Key in the file", "Default", "Bounds", "Meaning"];

function boundsOf(setting: Setting): string {
  if (setting.kind === "switch") return "`true` or `false`";
  if (setting.kind === "text") return setting.shape ?? "any text";
  return `${setting.min.toLocaleString("en")} to ${setting.max.toLocaleString("en")}`;
}

describe("settings", () => {
  test("docs/reference/settings.md lists the same settings in the same order", () => {
    const known = Object.entries(settings).map(([name, setting]: [string, Setting]) => [
      `--${flagOf(name)}`,
      setting.variable,
      name,
      String(setting.default ?? ""),
      boundsOf(setting),
      setting.help,
    ]);
    assert.deepEqual(tableRows("docs/reference/settings.md", columns), known);
  });
});
