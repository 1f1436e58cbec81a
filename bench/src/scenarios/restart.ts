import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { writeBook } from "../contenders.ts";
import type { Findings, Verdict } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import type { LargeGame } from "../large-game.ts";
import { RequestBook } from "../request-book.ts";
import { addWsJoin } from "../requests.ts";
import { median } from "../statistics.ts";

const readyMaxMs = 5_000;
const loadBeforeKillMs = 1_000;
const joinsBeforeKillMax = 200_000;

type Restart = {
  readonly stopMs: number;
  readonly endedWell: boolean;
  readonly readyMs: number;
  readonly firstAnswerMs: number;
};

/** How long the server is unavailable when it restarts on a log of 1,000,000 entries. */
export async function restart(bench: Bench, large: LargeGame): Promise<Findings> {
  const { options, progress } = bench;
  const { server } = large;
  const side = await server.createGame("The side game");
  if (large.joins < options.participants) await large.join(side, options.participants - large.joins);

  const clean: Restart[] = [];
  const killed: Restart[] = [];
  for (let time = 0; time < options.restarts; time++) {
    progress.show(`SIGTERM and start, ${time + 1} of ${options.restarts}`);
    clean.push(await startAgain(large, "SIGTERM"));
    progress.step();
    progress.show(`kill -9 under load and start, ${time + 1} of ${options.restarts}`);
    killed.push(await killUnderLoad(bench, large));
    progress.step();
  }
  return {
    rows: [],
    verdicts: [
      verdictOf(`ready after SIGTERM, ${wholeText(options.participants)} entries in the log`, clean),
      verdictOf("ready after kill -9 under load", killed),
    ],
    notes: [
      `Restart: after SIGTERM ${detailsOf(clean)}; after kill -9 ${detailsOf(killed)}.`,
      ...(clean.every((one) => one.endedWell)
        ? []
        : ["Warning, restart: SIGTERM did not end the server with code 0."]),
    ],
  };
}

async function startAgain({ server, game }: LargeGame, signal: "SIGTERM" | "SIGKILL"): Promise<Restart> {
  const stoppedAt = performance.now();
  const { endedWell } = await server.stop(signal);
  const stopMs = performance.now() - stoppedAt;
  const readyMs = await server.start();
  return { stopMs, endedWell, readyMs, firstAnswerMs: readyMs + (await server.canJoinMs(game)) };
}

async function killUnderLoad(bench: Bench, large: LargeGame): Promise<Restart> {
  const { server } = large;
  const load = bench.wsLoad(server);
  const book = new RequestBook();
  const side = await server.createGame("The game that was cut off");
  await writeBook(book, joinsBeforeKillMax, addWsJoin, server.crowd, async () => () => side);
  // The kill interrupts the load, so its rejected promise is expected.
  const loadEnded = load.saturate(book, 2 * loadBeforeKillMs).catch(() => undefined);
  await sleep(loadBeforeKillMs);
  const result = await startAgain(large, "SIGKILL");
  await loadEnded;
  load.close();
  return result;
}

function verdictOf(what: string, restarts: readonly Restart[]): Verdict {
  const readyMs = median(restarts.map((one) => one.readyMs));
  return {
    what,
    value: readyMs,
    measured: `${fixedText(readyMs / 1000, 2)} s`,
    target: `< ${readyMaxMs / 1000} s`,
    met: readyMs < readyMaxMs,
  };
}

function detailsOf(restarts: readonly Restart[]): string {
  const seconds = (pick: (one: Restart) => number) => fixedText(median(restarts.map(pick)) / 1000, 2);
  return (
    `${seconds((one) => one.stopMs)} s to end, ${seconds((one) => one.readyMs)} s to ready, ` +
    `${seconds((one) => one.firstAnswerMs)} s to the first can-join of the large game`
  );
}
