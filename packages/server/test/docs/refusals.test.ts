import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusals } from "@openseat/kernel";
import { readRepoFile, repoFiles, tableRows } from "./reference.ts";

describe("the catalogue of refusals", () => {
  test("docs/reference/refusals.md says the same, code by code, in the same order", () => {
    const written = tableRows("docs/reference/refusals.md", ["Code", "Status", "Meaning"]);
    const catalogue = Object.entries(refusals).map(([code, { status, means }]) => [
      code,
      String(status),
      means,
    ]);
    assert.deepEqual(written, catalogue);
  });

  test("every code is used by the kernel or the server: none is dead", () => {
    const sources = repoFiles("packages/{kernel,server}/src/**/*.ts")
      .filter((path) => path !== "packages/kernel/src/refusals.ts" && !path.includes("/transport/docs/"))
      .map(readRepoFile);
    const dead = Object.keys(refusals).filter(
      (code) => !sources.some((source) => source.includes(`"${code}"`)),
    );
    assert.deepEqual(dead, []);
  });
});
