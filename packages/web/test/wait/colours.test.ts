import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { coloursOf, contrast } from "../ui/contrast.ts";

const source = readFileSync(new URL("../../src/ui/style/colours.css", import.meta.url), "utf8");
const [lightSource, darkSource] = source.split("@media");

const textPairs = [
  ["ink", "card"],
  ["ink", "paper"],
  ["ink", "wash"],
  ["soft", "card"],
  ["soft", "paper"],
  ["soft", "wash"],
  ["soft", "track"],
  ["accent", "card"],
  ["accent", "paper"],
  ["on-accent", "accent"],
  ["on-red", "red"],
  ["red", "card"],
  ["amber", "card"],
] as const;

/** What is not text but has to be seen: bars, dots, focus, borders of fields. */
const shapePairs = [
  ["accent", "track"],
  ["accent", "wash"],
  ["soft", "track"],
] as const;

const light = coloursOf(lightSource);
for (const [scheme, colours] of [
  ["light", light],
  ["dark", { ...light, ...coloursOf(darkSource) }],
] as const)
  describe(`contrast in ${scheme} colours (WCAG AA)`, () => {
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
