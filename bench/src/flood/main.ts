import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { LoadError } from "../load.ts";
import { Surroundings } from "../machine.ts";
import { OptionError } from "../options.ts";
import { Progress } from "../progress.ts";
import { attacks } from "./attacks.ts";
import { Reruns } from "./measuring/quiet-slices.ts";
import { type FloodOptions, help, listText, parseFloodOptions } from "./options.ts";
import { type AttackResult, hasPassed, reportText } from "./report.ts";
import { runAttack, usualLengths } from "./run-attack.ts";

/** Slices to repeat per attack. */
const rerunsMax = 4;

async function main(): Promise<void> {
  const options = parseFloodOptions(process.argv.slice(2), attacks);
  if (options === "help") process.stdout.write(help);
  else if (options === "list") process.stdout.write(listText(attacks));
  else await flood(options);
}

async function flood({ only, seconds, json, server }: FloodOptions): Promise<void> {
  const startedAt = performance.now();
  const machine = new Surroundings();
  const progress = new Progress(only.length, process.stderr);
  const lengths = { ...usualLengths, duringSeconds: seconds };
  const results: AttackResult[] = [];
  for (const attack of only) {
    progress.begin(attack.name);
    try {
      const measured = await runAttack(attack, {
        program: server,
        lengths,
        progress,
        reruns: new Reruns(rerunsMax),
      });
      results.push({ attack, measured });
    } catch (error) {
      // An attack that fails to run must not discard the other results.
      results.push({ attack, error: error instanceof LoadError ? error.message : inspect(error) });
    }
    progress.step();
  }
  progress.end();
  const elapsed = (performance.now() - startedAt) / 1000;
  process.stdout.write(reportText(results, { seconds: elapsed, surroundings: machine.text }));
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ seconds: elapsed, outcomes: results }, null, 2)}\n`);
  if (!results.every(hasPassed)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof OptionError ? error.message : inspect(error)}\n`);
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
