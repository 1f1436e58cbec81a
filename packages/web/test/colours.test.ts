import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

const source = readFileSync(new URL("../src/wait/style/colours.css", import.meta.url), "utf8");
const [lightSource, darkSource] = source.split("@media");

function coloursOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map(([, name, value]) => [name, value]),
  );
}

/** WCAG's relative luminance. */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/g, "$&$&") : colour;
  const [red, green, blue] = [1, 3, 5]
    .map((index) => Number.parseInt(digits.slice(index, index + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

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
