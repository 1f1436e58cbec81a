import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusals } from "@openseat/kernel";
import { readRepoFile, repoFiles, tableRows } from "./reference.ts";

describe("the catalogue of refusals", () => {
  test("docs/reference/refusals.md lists the same codes in the same order", () => {
    const written = tableRows("docs/reference/refusals.md", ["Code", "Status", "Meaning"]);
    const catalogue = Object.entries(refusals).map(([code, { status, means }]) => [
      code,
      String(status),
      means,
    ]);
    assert.deepEqual(written, catalogue);
  });

  test("docs/reference/http-api.md has every code once in its table of statuses", () => {
    const rows = tableRows("docs/reference/http-api.md", ["Idea", "Status", "Codes"]);
    const written = rows.flatMap(([, status, codes]) =>
      codes.split(",").map((code) => [code.trim().replaceAll("`", ""), Number(status)] as const),
    );
    assert.equal(new Set(written.map(([code]) => code)).size, written.length, "no code is listed twice");
    const catalogue = Object.entries(refusals).map(([code, { status }]) => [code, status]);
    assert.deepEqual(written.toSorted(), catalogue.toSorted());
  });

  test("every code is used by the kernel or the server", () => {
    const sources = repoFiles("packages/{kernel,server}/src/**/*.ts")
      .filter((path) => path !== "packages/kernel/src/refusals.ts" && !path.includes("/transport/http/docs/"))
      .map(readRepoFile);
    const dead = Object.keys(refusals).filter(
      (code) => !sources.some((source) => source.includes(`"${code}"`)),
    );
    assert.deepEqual(dead, []);
  });
});
