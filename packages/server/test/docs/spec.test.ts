import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readRepoFile, repoFiles } from "./reference.ts";

/** A list item that begins with an ID: `- RM1 …` or `- **RM1** …`. */
const rulePattern = /^\s*[-*] +(?:\*\*)?([A-Z]{2}\d+)\b/gm;
/** The name of a test, quoted in any of the three ways. */
const testPattern = /\b(?:test|it)(?:\.\w+)?\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
/** One ID or several in brackets: `[RM1]`, `[RM1 RM2]`. */
const bracketPattern = /\[([A-Z]{2}\d+(?:[ ,]+[A-Z]{2}\d+)*)\]/g;

function rulesIn(spec: string): Set<string> {
  return new Set([...spec.matchAll(rulePattern)].map(([, id]) => id));
}

function idsInTestNames(source: string): string[] {
  return [...source.matchAll(testPattern)].flatMap(([, , name]) =>
    [...name.matchAll(bracketPattern)].flatMap(([, ids]) => ids.split(/[ ,]+/)),
  );
}

/** The files with each ID in the name of a test. */
function proofs(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const thisFile = "packages/server/test/docs/spec.test.ts";
  for (const path of repoFiles("{packages,sim,bench}/**/*.test.ts")) {
    if (path === thisFile) continue;
    for (const id of idsInTestNames(readRepoFile(path)))
      found.set(id, (found.get(id) ?? new Set()).add(path));
  }
  return found;
}

describe("docs/SPEC.md", () => {
  const rules = rulesIn(readRepoFile("docs/SPEC.md"));
  const proved = proofs();

  test("every rule is in the name of a test that proves it", () => {
    const missing = [...rules].filter((id) => !proved.has(id));
    assert.ok(rules.size >= 150, `only ${rules.size} rules were found`);
    assert.ok(missing.length === 0, `No test carries: ${missing.join(", ")}.`);
  });

  test("every rule in the name of a test exists", () => {
    const unknown = [...proved].filter(([id]) => !rules.has(id));
    const list = unknown.map(([id, paths]) => `${id} (${[...paths].join(", ")})`);
    assert.ok(unknown.length === 0, `docs/SPEC.md does not have: ${list.join("; ")}.`);
  });
});
