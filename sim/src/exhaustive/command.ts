import { smallArenas } from "./arena.ts";
import { type BrokenRule, type Exploration, explore } from "./explore.ts";
import { smallGames } from "./game.ts";
import { smallQueues } from "./queue.ts";
import type { AnySmallWorld } from "./small-world.ts";

export const defaultDepth = 6;

const worlds: readonly AnySmallWorld[] = [...smallGames(), ...smallQueues(), ...smallArenas()];

const widths = [44, 9, 10, 10, 10, 8] as const;
const columns = ["", "states", "steps", "entries", "refusals", "seconds"];

function row(cells: readonly (string | number)[]): string {
  return cells
    .map((cell, column) => {
      const text = typeof cell === "number" ? cell.toLocaleString("en") : cell;
      return column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]);
    })
    .join("");
}

/** Explores every small world to this depth and prints how much was found. Returns whether all rules held. */
export function exploreAll(depth: number, print: (line: string) => void): boolean {
  print(`Every order of ${depth} steps: commands, time, silence and crashes.\n`);
  print(row(columns));
  const sums = { states: 0, steps: 0, entries: 0, refusals: 0 };
  const failures: string[] = [];
  const startedAt = performance.now();
  for (const world of worlds) {
    const since = performance.now();
    const found = explore(world, { depth });
    const { states, steps, entries, refusals } = found;
    print(row([world.name, states, steps, entries, refusals, seconds(since)]));
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += found[name];
    failures.push(...failureOf(world, found));
  }
  print(row(["all", ...Object.values(sums), seconds(startedAt)]));
  for (const line of failures) print(line);
  return failures.length === 0;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}

function failureOf({ name }: AnySmallWorld, { broken, isComplete, states }: Exploration): string[] {
  if (broken) return ["", `${name} broke ${storyOf(broken)}`];
  return isComplete ? [] : ["", `${name} has more than ${states} states: choose a smaller --depth.`];
}

/** The rule, and the shortest history that breaks it, in readable form. */
export function storyOf({ rule, sentence, history }: BrokenRule): string {
  const steps = history.map((words, index) => `  ${index}. ${words}`);
  return [`${rule}: ${sentence}.`, ...steps].join("\n");
}
