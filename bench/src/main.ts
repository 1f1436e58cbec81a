import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { Bench } from "./bench.ts";
import { fillingSteps } from "./filling.ts";
import { type Findings, together } from "./findings.ts";
import { fillSteps, LargeGame } from "./large-game.ts";
import { lineMixes } from "./line-mixes.ts";
import { LoadError } from "./load.ts";
import { Surroundings } from "./machine.ts";
import type { Openseat } from "./openseat-server.ts";
import { help, OptionError, type Options, parseOptions, type ScenarioName } from "./options.ts";
import { Progress } from "./progress.ts";
import { reportText } from "./report.ts";
import { arenaSteps, arenas } from "./scenarios/arenas.ts";
import { heartbeat, position } from "./scenarios/asking.ts";
import { warmUps } from "./scenarios/beside-bare.ts";
import { canJoin } from "./scenarios/can-join.ts";
import { chat, chatSteps } from "./scenarios/chat.ts";
import { enter } from "./scenarios/enter.ts";
import { flash, flashSteps } from "./scenarios/flash.ts";
import { growth, growthRounds } from "./scenarios/growth.ts";
import { hot } from "./scenarios/hot.ts";
import { ladder, ladderSteps } from "./scenarios/ladder.ts";
import { latency, peakRounds } from "./scenarios/latency.ts";
import { many } from "./scenarios/many.ts";
import { memory, memorySteps } from "./scenarios/memory.ts";
import { nodes, nodesSteps } from "./scenarios/nodes.ts";
import { peopleInLines, positionsAt, warmUpsOfLines } from "./scenarios/positions-at.ts";
import { restart } from "./scenarios/restart.ts";
import { restartLine } from "./scenarios/restart-line.ts";
import { versionSteps, versions } from "./scenarios/versions.ts";
import { websocket } from "./scenarios/websocket.ts";

type OnOwnServer = {
  readonly name: ScenarioName;
  readonly title: string;
  readonly measure: (bench: Bench) => Promise<Findings>;
};

const onOwnServer: readonly OnOwnServer[] = [
  { name: "hot", title: "hot game", measure: hot },
  { name: "many", title: "1,000 games", measure: many },
  { name: "can-join", title: "can-join", measure: canJoin },
  { name: "ws", title: "WebSocket", measure: websocket },
  { name: "latency", title: "latency", measure: latency },
  { name: "enter", title: "enter", measure: enter },
  { name: "position", title: "position", measure: position },
  { name: "heartbeat", title: "heartbeat", measure: heartbeat },
  { name: "positions-at", title: "long lines", measure: positionsAt },
  { name: "memory", title: "memory", measure: memory },
  { name: "restart-line", title: "restart with a line", measure: restartLine },
  { name: "flash", title: "flash crowd", measure: flash },
  { name: "arenas", title: "arenas", measure: arenas },
  { name: "ladder", title: "ladder", measure: ladder },
  { name: "chat", title: "chat", measure: chat },
  { name: "nodes", title: "nodes", measure: nodes },
];

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === "help") {
    process.stdout.write(help);
    return;
  }
  const startedAt = performance.now();
  const surroundings = new Surroundings();
  const found: Findings[] = [];
  try {
    await measure(options, (findings) => found.push(findings));
  } finally {
    // A scenario that fails after minutes must not discard the other results.
    if (found.length > 0)
      publish(together(found), options, (performance.now() - startedAt) / 1000, surroundings);
  }
}

function publish(findings: Findings, options: Options, seconds: number, { text }: Surroundings): void {
  process.stdout.write(reportText(findings, options, seconds, text));
  if (options.json === undefined) return;
  const numbers = { options: { ...options, only: [...options.only] }, seconds, machine: text, ...findings };
  writeFileSync(options.json, `${JSON.stringify(numbers, null, 2)}\n`);
}

async function measure(options: Options, onFound: (findings: Findings) => void): Promise<void> {
  const progress = new Progress(stepsOf(options), process.stderr);
  const bench = await Bench.start(options, progress);
  try {
    if (options.before !== undefined) {
      onFound(await versions(bench, options.before));
      return;
    }
    for (const { name, title, measure } of onOwnServer) {
      if (!options.only.has(name)) continue;
      progress.begin(title);
      onFound(await measure(bench));
    }
    if (options.only.has("growth") || options.only.has("restart")) {
      progress.begin("large game");
      await bench.withOpenseat((server) => measureLargeGame(bench, server, onFound));
    }
  } finally {
    progress.end();
    await bench.stop();
  }
}

async function measureLargeGame(
  bench: Bench,
  server: Openseat,
  onFound: (findings: Findings) => void,
): Promise<void> {
  const { options, progress } = bench;
  const large = await LargeGame.fill(bench, server);
  if (options.only.has("growth")) {
    progress.begin("growth");
    onFound(await growth(bench, large));
  }
  if (options.only.has("restart")) {
    progress.begin("restart");
    onFound(await restart(bench, large));
  }
}

/** The number of slices, for the progress bar. */
function stepsOf(options: Options): number {
  if (options.before !== undefined) return versionSteps(options);
  const { only, pairs, pacedPairs, restarts, participants, waiting } = options;
  const steps: Record<ScenarioName, number> = {
    hot: 2 * (pairs + warmUps),
    many: 2 * (pairs + warmUps),
    "can-join": 2 * (pairs + warmUps),
    ws: 3 * (pairs + warmUps),
    latency: 2 * (peakRounds + warmUps + pacedPairs),
    enter: 3 * (pairs + warmUps),
    position: 2 * (pairs + warmUps),
    heartbeat: 2 * (pairs + warmUps),
    "positions-at":
      fillingSteps(peopleInLines(waiting)) + lineMixes.length * (2 * (pairs + warmUpsOfLines) + 1),
    memory: memorySteps(waiting),
    "restart-line": fillingSteps(waiting) + 2 * restarts,
    flash: flashSteps(options.flashPeople),
    arenas: arenaSteps(options),
    ladder: ladderSteps(options),
    chat: chatSteps(options),
    nodes: nodesSteps(options),
    growth: 2 * (growthRounds(pairs) + warmUps),
    restart: 2 * restarts,
  };
  const fill = only.has("growth") || only.has("restart") ? fillSteps(participants) : 0;
  return [...only].reduce((sum, name) => sum + steps[name], fill);
}

try {
  await main();
} catch (error) {
  if (error instanceof OptionError) {
    process.stderr.write(`${error.message} See --help.\n`);
    process.exit(2);
  }
  process.stderr.write(
    `The benchmark failed. ${error instanceof LoadError ? error.message : inspect(error)}\n`,
  );
  process.exit(1);
}
