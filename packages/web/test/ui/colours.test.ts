import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { coloursOf, contrast } from "./contrast.ts";

function schemesOf(path: string): [light: string, dark: string] {
  const [light, dark] = readFileSync(new URL(path, import.meta.url), "utf8").split("@media");
  return [light, dark];
}

const shared = schemesOf("../../src/ui/style/colours.css");
const own = schemesOf("../../src/ui/style/seat-colours.css");

const textPairs = [
  ["seat-1", "card"],
  ["seat-2", "card"],
  ["seat-3", "card"],
  ["seat-4", "card"],
  ["seat-5", "card"],
  ["seat-6", "card"],
  ["ink", "glow"],
  ["soft", "glow"],
  ["amber", "card"],
  ["red", "card"],
  ["accent", "wash"],
  ["soft", "wash"],
  ["ink", "track"],
  ["paper", "ink"],
] as const;

/** Marks, discs and rings: to be seen, not read. */
const shapePairs = [
  ["seat-1", "paper"],
  ["seat-2", "paper"],
  ["seat-1", "glow"],
  ["seat-2", "glow"],
  ["amber", "glow"],
  ["disc-1", "hole"],
  ["disc-2", "hole"],
] as const;

for (const [index, scheme] of ["light", "dark"].entries())
  describe(`contrast on the pages in ${scheme} colours (WCAG AA)`, () => {
    const colours = { ...coloursOf(shared[0]), ...coloursOf(own[0]) };
    if (index === 1) Object.assign(colours, coloursOf(shared[1]), coloursOf(own[1]));
    for (const [over, under] of textPairs)
      test(`text: ${over} on ${under}`, () => {
        const ratio = contrast(colours[over], colours[under]);
        assert.ok(ratio >= 4.5, ratio.toFixed(2));
      });
    for (const [over, under] of shapePairs)
      test(`shape: ${over} on ${under}`, () => {
        const ratio = contrast(colours[over], colours[under]);
        assert.ok(ratio >= 3, ratio.toFixed(2));
      });
  });
