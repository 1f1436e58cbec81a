import type { StreamName } from "@openseat/server";
import type { Talk } from "../src/chat/conversation.ts";
import { Disk } from "../src/disk.ts";
import { type FaultKind, Faults } from "../src/faults.ts";
import { type Broken, Judge } from "../src/judge.ts";
import type { Ladder } from "../src/ladder/ladder.ts";
import { checkRecords } from "../src/ladder/records.ts";
import { Network } from "../src/network.ts";
import { Node } from "../src/node.ts";
import { type Parts, soundParts } from "../src/parts.ts";
import { Random } from "../src/prng.ts";
import type { Surroundings } from "../src/process.ts";
import { type Answer, kindOf, type Request } from "../src/requests.ts";
import { witnessFor } from "../src/run.ts";
import { chooseScenario } from "../src/scenario.ts";
import { World } from "../src/world.ts";

/** The single fault in a small world. */
type SingleFault =
  /** The process dies after this many steps. A write under way is either completed or lost. */
  | { readonly crashAfterStep: number; readonly isWritten: boolean }
  /** The n-th call of the log or a channel that may fail, fails. */
  | { readonly faultAtCall: number };

/** What happens on one ladder, reported by a person who retries until there is an answer. */
export interface Story {
  readonly ladder: StreamName;
  /** Preparation without faults. */
  prepare?(insist: (request: Request) => Promise<Answer>): Promise<void>;
  tell(insist: (request: Request) => Promise<Answer>): Promise<void>;
}

/** The result of a story. */
interface StoryResult {
  readonly broken: Broken | undefined;
  /** Each match in order: the players, the result and its state. */
  readonly matches: readonly string[];
  /** Everyone's rating. */
  readonly ratings: readonly string[];
  /**
   * Every notice that people received, without duplicates and in any order, because notices may overtake each other.
   */
  readonly notices: readonly string[];
  readonly redeliveries: number;
  /** The range in which faults are planted: by steps, and by calls that may fail. */
  readonly steps: Span;
  readonly calls: Span;
}

interface Span {
  readonly from: number;
  readonly upTo: number;
}

const faultsOfCalls: readonly FaultKind[] = [
  "failedAppend",
  "lostAppendAnswer",
  "failedReceipt",
  "lostReceiptAnswer",
  "failedRead",
  "failedSend",
  "lostSendAnswer",
];

/** No faults, except for one call. */
class OneFault extends Faults {
  readonly #at: number;
  calls = 0;

  constructor(random: Random, at: number) {
    super(random, {});
    this.#at = at;
  }

  override strikes(kind: FaultKind): boolean {
    return faultsOfCalls.includes(kind) && ++this.calls === this.#at;
  }
}

/** Ordinary randomness, except for whether a write survives a crash. */
class FixedOutcome extends Random {
  readonly #isWritten: boolean;

  constructor(seed: number, isWritten: boolean) {
    super(seed);
    this.#isWritten = isWritten;
  }

  override chance(): boolean {
    return this.#isWritten;
  }
}

const downMs = 20;
/** Without faults, all effects of the story are complete after this time. */
const aftermathMs = 200;
/** Longer than the host waits before its first retry. */
const calmMs = 5_000;

/** One server and one story, with at most one fault. */
export async function smallWorld(
  { ladder, prepare, tell }: Story,
  { seed, fault, broken = {} }: { seed: number; fault?: SingleFault | undefined; broken?: Partial<Parts> },
): Promise<StoryResult> {
  const crash = fault && "crashAfterStep" in fault ? fault : undefined;
  const world = new World(new FixedOutcome(seed, crash?.isWritten ?? false));
  const faults = new OneFault(world.random, fault && "faultAtCall" in fault ? fault.faultAtCall : 0);
  const judge = new Judge(() => world.halt());
  // People may only receive a notice twice after a fault.
  if (fault) judge.post.disturbed(Number.POSITIVE_INFINITY);
  const parts = { ...soundParts(), ...broken };
  const nodes: Node[] = [];
  const witness = witnessFor(judge, { world, faults, parts, presence: undefined, nodes });
  const scenario = {
    ...chooseScenario(new Random(1)),
    idleMs: 300_000,
    residentStreamsMax: 100,
    snapshotTailMin: 1,
  };
  const alone = { presence: undefined, cluster: undefined };
  const disk = new Disk(world);
  const surroundings: Surroundings = { world, scenario, faults, parts, judge, witness, disk, ...alone };
  const node = new Node("node", surroundings);
  nodes.push(node);
  node.start();
  const network = new Network(world, nodes, faults, judge);
  let doneAtMs = Number.POSITIVE_INFINITY;
  let startedAt = { steps: 0, calls: 0 };
  let steps = 0;
  const asking = (request: Request) => insist(world, network, request);
  const run = async () => {
    await prepare?.(asking);
    startedAt = { steps: world.steps, calls: faults.calls };
    await tell(asking);
    doneAtMs = world.elapsedMs;
  };
  void run();
  await world.run(() => {
    if (world.steps === crash?.crashAfterStep && node.process) {
      node.crash();
      world.after(downMs, "the node comes back", () => node.start());
    }
    if (world.elapsedMs < doneAtMs + aftermathMs) steps = world.steps;
    return world.elapsedMs > doneAtMs + calmMs;
  });
  if (!judge.broken) await checkEnd(judge, ladder, parts).catch((error) => judge.fail(error));
  return {
    ...{ broken: judge.broken, ...resultOf(judge, ladder), redeliveries: judge.deliveries.repeated },
    steps: { from: startedAt.steps + 1, upTo: steps },
    calls: { from: startedAt.calls + 1, upTo: faults.calls },
  };
}

/** Every possible single fault: a crash after each step, and a failure of each log call. */
export function* singleFaults({ steps, calls }: StoryResult): Iterable<SingleFault> {
  for (let crashAfterStep = steps.from; crashAfterStep <= steps.upTo; crashAfterStep++) {
    yield { crashAfterStep, isWritten: true };
    yield { crashAfterStep, isWritten: false };
  }
  for (let faultAtCall = calls.from; faultAtCall <= calls.upTo; faultAtCall++) yield { faultAtCall };
}

async function insist(world: World, network: Network, request: Request): Promise<Answer> {
  for (;;) {
    const answer = await network.send(request);
    if (answer && !(answer.type === "refused" && answer.refusal.retryable)) return answer;
    await world.pause(5, "asks again");
  }
}

async function checkEnd(judge: Judge, ladder: StreamName, { store }: Parts): Promise<void> {
  const { ledger, deliveries, post, correspondence } = judge;
  await ledger.compareWith(store);
  await deliveries.checkAll(store);
  post.checkAll();
  correspondence.checkAll([]);
  await checkRecords(ladder, ledger.history(ladder).rooms.at(-1), store);
}

function resultOf(
  { ledger, post }: Judge,
  ladder: StreamName,
): Pick<StoryResult, "matches" | "ratings" | "notices"> {
  const room: Ladder | undefined = ledger.history(ladder).rooms.at(-1);
  const { players, matches } = room ?? { players: [], matches: [] };
  const lines = ledger.streams
    .filter((stream) => kindOf(stream) === "conversation")
    .flatMap((stream) => (ledger.history(stream).rooms.at(-1) as Talk).lines);
  return {
    // Notices passed on together are one text.
    notices: [...lines.map(({ text }) => text), ...[...post.read.values()].flat()]
      .flatMap((text) => text.split("\n"))
      .sort(),
    ratings: players.map(({ person, mark }) => `${person} ${mark.rating}`),
    matches: matches.map(({ players: both, scores, status }) => {
      const [first, second] = both.map((player, which) => `${players[player - 1].person} ${scores[which]}`);
      return `${first} ${second} ${status}`;
    }),
  };
}
