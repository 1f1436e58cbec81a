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

/** The one thing that goes wrong in a small world. */
type Blow =
  /** The process dies after so many steps; what it had sent to the store is still written, or is not. */
  | { readonly crashAfterStep: number; readonly isWritten: boolean }
  /** The so-manieth time that anything of the log or of a channel might fail, it does. */
  | { readonly faultAtCall: number };

/** What happens on one ladder, told by one who asks until there is an answer. */
export interface Story {
  readonly ladder: StreamName;
  /** What comes first, in which nothing goes wrong. */
  prepare?(insist: (request: Request) => Promise<Answer>): Promise<void>;
  tell(insist: (request: Request) => Promise<Answer>): Promise<void>;
}

/** What came of it. */
interface Outcome {
  readonly broken: Broken | undefined;
  /** Each match, in order: who played, how it ended, what became of it. */
  readonly matches: readonly string[];
  /** Who has which rating. */
  readonly ratings: readonly string[];
  /** What people were told where they talk, each thing once, in no order: what comes a long way may be overtaken. */
  readonly told: readonly string[];
  readonly redeliveries: number;
  /** From where to where it is told: by steps, and by times at which something might have failed. */
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

/** Everything goes well, but for one call. */
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

/** Chance as always; but whether something is still written at a crash is no matter of chance. */
class Loaded extends Random {
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
/** Within so long of the end of the story, everything that follows from it is done, if nothing goes wrong. */
const aftermathMs = 200;
/** Longer than the host waits before it tries something again for the first time. */
const calmMs = 5_000;

/** One server and one story; and, if there is one, one blow. */
export async function smallWorld(
  { ladder, prepare, tell }: Story,
  { seed, blow, broken = {} }: { seed: number; blow?: Blow | undefined; broken?: Partial<Parts> },
): Promise<Outcome> {
  const crash = blow && "crashAfterStep" in blow ? blow : undefined;
  const world = new World(new Loaded(seed, crash?.isWritten ?? false));
  const faults = new OneFault(world.random, blow && "faultAtCall" in blow ? blow.faultAtCall : 0);
  const judge = new Judge(() => world.halt());
  // After a blow people may be told a thing twice; without one nobody is.
  if (blow) judge.post.disturbed(Number.POSITIVE_INFINITY);
  const parts = { ...soundParts(), ...broken };
  const nodes: Node[] = [];
  const witness = witnessFor(judge, { world, faults, parts, signs: undefined, nodes });
  const scenario = {
    ...chooseScenario(new Random(1)),
    idleMs: 300_000,
    residentStreamsMax: 100,
    snapshotTailMin: 1,
  };
  const alone = { signs: undefined, cluster: undefined };
  const disk = new Disk(world);
  const surroundings: Surroundings = { world, scenario, faults, parts, judge, witness, disk, ...alone };
  const node = new Node("node", surroundings);
  nodes.push(node);
  node.start();
  const network = new Network(world, nodes, faults, judge);
  let doneAtMs = Number.POSITIVE_INFINITY;
  let begunAt = { steps: 0, calls: 0 };
  let steps = 0;
  const asking = (request: Request) => insist(world, network, request);
  const run = async () => {
    await prepare?.(asking);
    begunAt = { steps: world.steps, calls: faults.calls };
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
    ...{ broken: judge.broken, ...told(judge, ladder), redeliveries: judge.deliveries.repeated },
    steps: { from: begunAt.steps + 1, upTo: steps },
    calls: { from: begunAt.calls + 1, upTo: faults.calls },
  };
}

/** Everything that can go wrong once: a crash after each of the steps, and a fault at each call of the log. */
export function* blows({ steps, calls }: Outcome): Iterable<Blow> {
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

function told({ ledger, post }: Judge, ladder: StreamName): Pick<Outcome, "matches" | "ratings" | "told"> {
  const room: Ladder | undefined = ledger.history(ladder).rooms.at(-1);
  const { players, matches } = room ?? { players: [], matches: [] };
  const lines = ledger.streams
    .filter((stream) => kindOf(stream) === "conversation")
    .flatMap((stream) => (ledger.history(stream).rooms.at(-1) as Talk).lines);
  return {
    // What is passed on together is one text.
    told: [...lines.map(({ text }) => text), ...[...post.read.values()].flat()]
      .flatMap((text) => text.split("\n"))
      .sort(),
    ratings: players.map(({ person, mark }) => `${person} ${mark.rating}`),
    matches: matches.map(({ players: both, scores, status }) => {
      const [first, second] = both.map((player, which) => `${players[player - 1].person} ${scores[which]}`);
      return `${first} ${second} ${status}`;
    }),
  };
}
