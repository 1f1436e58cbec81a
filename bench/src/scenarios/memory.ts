import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import type { Findings, Verdict } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Person } from "../persons.ts";
import { RequestBook } from "../request-book.ts";
import { addEnter, addEnterWithoutKey } from "../requests.ts";
import { residentBytes } from "../resident-memory.ts";

const bytesMax = 250;
const enteringAtOnce = 50_000;
const noEndMs = 10 * 60 * 1000;
const megabyte = 1_000_000;

type AddEnter = (book: RequestBook, queue: string, person: Person) => void;
type Growth = {
  readonly perPerson: number;
  /** Without the one-time cost of the first people. */
  readonly perLaterPerson: number;
  readonly startBytes: number;
  readonly endBytes: number;
  readonly atMostBytes: number;
};

export const memorySteps = (waiting: number): number => (2 * waiting) / enteringAtOnce;

/** How much a server's resident memory grows from a fresh start until a million people have entered over HTTP. */
export async function memory(bench: Bench): Promise<Findings> {
  const { waiting } = bench.options;
  const plain = await bench.withOpenseat((server) => growthOf(bench, server, addEnterWithoutKey));
  const keyed = await bench.withOpenseat((server) => growthOf(bench, server, addEnter));
  const verdictOf = (what: string, { perPerson }: Growth): Verdict => ({
    what,
    value: perPerson,
    measured: `${wholeText(perPerson)} bytes`,
    target: `≤ ${bytesMax} bytes`,
    met: perPerson <= bytesMax,
  });
  return {
    rows: [],
    verdicts: [
      verdictOf(`a waiting person, ${wholeText(waiting)} of them`, plain),
      verdictOf("a waiting person and a remembered key", keyed),
    ],
    notes: [`Memory: without keys ${growthText(plain)}; with a key per person ${growthText(keyed)}.`],
  };
}

async function growthOf(bench: Bench, server: Openseat, add: AddEnter): Promise<Growth> {
  const { waiting, quietMs } = bench.options;
  const queue = await server.createQueue();
  await sleep(quietMs);
  const startBytes = residentBytes(server.pid).now;
  await enterAll(bench, server, queue, enteringAtOnce, add);
  await sleep(quietMs);
  const warmBytes = residentBytes(server.pid).now;
  const later = waiting - enteringAtOnce;
  await enterAll(bench, server, queue, later, add);
  await sleep(quietMs);
  const { now: endBytes, atMost: atMostBytes } = residentBytes(server.pid);
  return {
    perPerson: (endBytes - startBytes) / waiting,
    perLaterPerson: (endBytes - warmBytes) / later,
    startBytes,
    endBytes,
    atMostBytes,
  };
}

async function enterAll(
  bench: Bench,
  server: Openseat,
  queue: string,
  count: number,
  add: AddEnter,
): Promise<void> {
  const { progress } = bench;
  const load = bench.httpLoad(server);
  const book = new RequestBook();
  for (let entered = 0; entered < count; entered += enteringAtOnce) {
    progress.show(`entering, ${wholeText(entered)} of ${wholeText(count)}`);
    const some = Math.min(enteringAtOnce, count - entered);
    book.clear();
    for (let person = 0; person < some; person++) add(book, queue, server.crowd.next());
    await load.saturate(book, noEndMs);
    progress.step();
  }
  load.close();
}

function growthText({ startBytes, endBytes, atMostBytes, perLaterPerson }: Growth): string {
  const text = (bytes: number): string => `${fixedText(bytes / megabyte, 0)} MB`;
  return (
    `${text(startBytes)} at the start and ${text(endBytes)} at the end (peak ${text(atMostBytes)}; ` +
    `${wholeText(perLaterPerson)} bytes per person after the first ${wholeText(enteringAtOnce)})`
  );
}
