import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { loadConfig } from "../../src/config/load-config.ts";
import { blocksOf } from "../support/guide-shell.ts";
import { readRepoFile, repoFiles } from "./reference.ts";

const guides = repoFiles("docs/guides/*.md").filter((path) => basename(path) !== "README.md");

describe("docs/guides", () => {
  test("every guide is listed and run by a test", () => {
    assert.ok(guides.length >= 13);
    const list = readRepoFile("docs/guides/README.md");
    const tests = repoFiles("packages/{server,kernel}/test/**/*.ts").map(readRepoFile).join("");
    for (const path of guides) {
      assert.ok(list.includes(`(${basename(path)})`), `${path} is not in the list`);
      assert.ok(tests.includes(path), `no test runs ${path}`);
    }
  });

  // Its settings are those of the channel that it adds.
  for (const path of guides.filter((each) => !each.endsWith("add-a-channel.md")))
    test(`${path} starts servers only with existing settings`, () => {
      const page = readRepoFile(path)
        .replaceAll(/^ {3}/gm, "")
        .replaceAll("123456:the-token", `123456:${"a".repeat(35)}`);
      for (const block of [...blocksOf(page), ...blocksOf(page, "bash")]) startsIn(block);
    });
});

/** The variables and flags of each server start in a block of commands. Commands with placeholders are not checked. */
function startsIn(block: string): void {
  const variables: Record<string, string> = {};
  const assign = (text: string) => {
    for (const [, name, value] of text.matchAll(/([A-Z_]+)=('[^']*'|\S+)/g))
      variables[name] = value.replaceAll("'", "");
  };
  for (const line of block.replaceAll("\\\n", "").split("\n")) {
    const [, exported] = /^export (.*)/.exec(line) ?? [];
    if (exported !== undefined) assign(exported);
    const [, before, flags = ""] = /^((?:[A-Z_]+=\S+ )*)npm start(?: -- (.*))?$/.exec(line) ?? [];
    if (before === undefined || line.includes("…")) continue;
    assign(before);
    assert.ok(loadConfig(["--strict", ...flags.split(" ").filter(Boolean)], variables), line);
  }
}
