import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { readRepoFile, repoFiles } from "../docs/reference.ts";

test("docs/operations: every page is listed and has a test that runs it", () => {
  const list = readRepoFile("docs/operations/README.md");
  const pages = repoFiles("docs/operations/*.md")
    .map((path) => basename(path, ".md"))
    .filter((name) => name !== "README");
  assert.ok(pages.length >= 7);
  for (const page of pages) {
    assert.ok(list.includes(`(${page}.md)`), `${page} is not in the list`);
    assert.ok(existsSync(join(import.meta.dirname, `${page}.test.ts`)), `${page} has no test`);
  }
});
