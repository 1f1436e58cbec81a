import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { coloursOf, contrast } from "./contrast.ts";

const schemes = (file: string) =>
  readFileSync(new URL(`../../src/ui/style/${file}`, import.meta.url), "utf8")
    .split("@media")
    .map(coloursOf);
const [[light, dark], [lightSeats, darkSeats]] = ["colours.css", "seat-colours.css"].map(schemes);

const texts = {
  card: ["ink", "soft", "accent", "red", "amber", "seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6"],
  paper: ["ink", "soft", "accent"],
  wash: ["ink", "soft", "accent"],
  track: ["ink", "soft"],
  glow: ["ink", "soft"],
  accent: ["on-accent"],
  red: ["on-red"],
  ink: ["paper"],
};

/** Graphics instead of text: bars, dots, focus, borders of fields, marks, discs and rings. */
const shapes = {
  track: ["accent", "soft"],
  wash: ["accent"],
  paper: ["seat-1", "seat-2"],
  glow: ["seat-1", "seat-2", "amber"],
  hole: ["disc-1", "disc-2"],
};

const all = { light: { ...light, ...lightSeats } };
for (const [scheme, colours] of Object.entries({ ...all, dark: { ...all.light, ...dark, ...darkSeats } }))
  describe(`contrast in ${scheme} colours (WCAG AA)`, () => {
    for (const [kind, pairs, ratioMin] of [["text", texts, 4.5] as const, ["shape", shapes, 3] as const])
      for (const [under, overs] of Object.entries(pairs))
        test(`${kind} on ${under}`, () => {
          for (const over of overs) {
            const ratio = contrast(colours[over], colours[under]);
            assert.ok(ratio >= ratioMin, `${over}: ${ratio.toFixed(2)}`);
          }
        });
  });
