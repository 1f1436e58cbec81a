import type { Millis } from "@openseat/kernel";
import { ArenaPeople } from "./arena/people.ts";
import type { Message } from "./chat/message.ts";
import { Talkers } from "./chat/talkers.ts";
import { Faults, type FaultTally } from "./faults.ts";
import { Clients } from "./game/clients.ts";
import { type Broken, Judge } from "./judge.ts";
import { LadderPeople } from "./ladder/people.ts";
import type { Figures } from "./ledger.ts";
import { Network } from "./network.ts";
import { Node } from "./node.ts";
import { type Parts, soundParts } from "./parts.ts";
import { Random } from "./prng.ts";
import type { Surroundings } from "./process.ts";
import { checkPromises, checkPunctual, lateMsMax, type Onlooker } from "./promises.ts";
import { QueuePeople } from "./queue/people.ts";
import { RuleBroken } from "./rule.ts";
import { chooseScenario, type Scenario, type Theme } from "./scenario.ts";
import { SignsOfLife } from "./signs-of-life.ts";
import type { Witness } from "./sim-log.ts";
import { trouble } from "./troubles.ts";
import { startWatchers } from "./watchers.ts";
import { type Life, World } from "./world.ts";

export interface Options {
  /** Instead of as many as the seed chooses. */
  readonly steps?: number | undefined;
  /** Instead of the kind of rooms that the seed chooses. */
  readonly theme?: Theme | undefined;
  /** What is to be otherwise than the seed chooses it. */
  readonly scenario?: Partial<Scenario>;
  readonly print?: ((line: string) => void) | undefined;
  /** Broken parts, for the tests of the simulator itself. */
  readonly parts?: Partial<Parts>;
}

export interface Report extends Figures {
  readonly seed: number;
  readonly steps: number;
  readonly answers: number;
  readonly feedMessages: number;
  /** How often something was taken to a ladder that had it. */
  readonly redeliveries: number;
  /** How often messages were brought and answered; how many things reached people, some of them again; and what did not. */
  readonly brought: number;
  readonly sent: number;
  readonly sentAgain: number;
  readonly setAside: number;
  readonly resent: number;
  readonly faults: FaultTally;
  /** Of everything that happened, in order. */
  readonly historyHash: string;
  readonly broken: Broken | undefined;
}

/** After the storm: longer than the host trusts any timer (a minute), so that everything due has come. */
const calmMs = 65_000;
/** From the beginning of the calm until everything goes its way again. */
const recoveryMs = 5_000;
/** By then nobody is left who could do anything, and no clock is running. */
const restlessMsMax = 15 * 60_000;
/** At the end nothing has been written for so long: a watcher looks up once a second. */
const quietMs = 2_000;

/** One world from its seed: a storm of so many steps, then a calm in which every promise has to come true. */
export async function simulate(seed: number, options: Options = {}): Promise<Report> {
  const world = new World(new Random(seed), options.print);
  const scenario = { ...chooseScenario(world.random, options.theme), ...options.scenario };
  const faults = new Faults(world.random, scenario.rates);
  const judge = new Judge(scenario.nodes, () => world.halt());
  const signs = scenario.nodes === 1 ? new SignsOfLife(world, judge.ledger) : undefined;
  faults.onFault = (kind) => signs?.noteFault(kind);
  const parts = { ...soundParts(), ...options.parts };
  const nodes: Node[] = [];
  const witness = witnessFor(judge, { world, faults, parts, signs, nodes });
  const surroundings: Surroundings = { world, scenario, faults, parts, signs, judge, witness };
  for (let number = 1; number <= scenario.nodes; number++)
    nodes.push(new Node(`node ${number}`, surroundings));

  const stopListening = listenForStrayFaults((error) => judge.fail(error));
  const { onlookers, unanswered } = populate(surroundings, nodes);
  // What is thrown in a timer would end a real server.
  const run = (done: () => boolean) => world.run(done).catch((error) => judge.fail(error));
  await run(() => world.steps >= (options.steps ?? scenario.steps));
  const dueBefore = await becalm(surroundings, nodes, run);
  const promised = {
    judge,
    unanswered: unanswered(),
    store: parts.store,
    nodes,
    watchers: onlookers(),
    signs,
    dueBefore,
  };
  if (!judge.broken) await checkPromises(promised).catch((error) => judge.fail(error));
  stopListening();
  return {
    seed,
    steps: world.steps,
    ...judge.ledger.figures(),
    answers: judge.answers,
    feedMessages: judge.feedMessages,
    redeliveries: judge.deliveries.repeated,
    brought: judge.correspondence.answered,
    ...judge.post.counts,
    faults: faults.tally,
    historyHash: world.historyHash(),
    broken: judge.broken,
  };
}

/** Lets everything come to rest. Resolves with the time by which all that was due must have happened. */
async function becalm(
  { world, faults, judge, signs }: Surroundings,
  nodes: readonly Node[],
  run: (done: () => boolean) => Promise<void>,
): Promise<Millis> {
  world.note("calm");
  faults.becalm();
  const calmSince = world.elapsedMs;
  const slowestClock = () => Math.min(...nodes.map((node) => node.now())) as Millis;
  const clockAtFirst = slowestClock();
  // A timer that was set by a wrong clock rings within a minute; one set by a clock that nobody touched, on time.
  const areClocksTrue = faults.tally.clockJump === 0;
  let writtenAtMs = calmSince;
  judge.onWritten = (stream, before) => {
    writtenAtMs = world.elapsedMs;
    signs?.written(stream, before);
    const since = (clockAtFirst + recoveryMs) as Millis;
    if (areClocksTrue) checkPunctual(judge.ledger, stream, before, since);
  };
  await run(() => {
    const calmForMs = world.elapsedMs - calmSince;
    if (calmForMs > restlessMsMax) {
      judge.check(() => judge.post.checkAll());
      judge.fail(new RuleBroken("RM5", "rooms that everybody has left go on and on"));
    }
    return calmForMs > calmMs && world.elapsedMs - writtenAtMs > quietMs && judge.post.isQuiet;
  });
  return (areClocksTrue ? slowestClock() - lateMsMax : clockAtFirst) as Millis;
}

/** Sees every append on its way, and some processes die of it. */
export function witnessFor(
  judge: Judge,
  {
    world,
    faults,
    parts,
    signs,
    nodes,
  }: Omit<Surroundings, "scenario" | "judge" | "witness"> & { nodes: Node[] },
): Witness {
  judge.onWritten = (stream, before) => signs?.written(stream, before);
  const dieSoon = (life: Life, around: string) => {
    const node = nodes.find(({ process }) => process?.life === life);
    life.after(world.random.next() * 6, `${node?.name} dies around ${around}`, () => {
      if (!faults.calm) node?.crash();
    });
  };
  return {
    setOut(life, appends) {
      judge.check(() => signs?.decided(appends));
      if (faults.strikes("crashAtAppend")) dieSoon(life, "an append");
    },
    delivering(life) {
      if (faults.strikes("crashAtDelivery")) dieSoon(life, "a delivery");
    },
    handedOut: (items) => judge.deliveries.handedOut(items),
    noted: (note) => judge.check(() => judge.post.noted(note)),
    written: (append) => judge.written(parts.store, append),
    conflicted: (append) => judge.conflicted(append),
  };
}

/** The machines with their troubles, the people, and those who watch. */
function populate(
  surroundings: Surroundings,
  nodes: readonly Node[],
): { onlookers(): readonly Onlooker[]; unanswered(): readonly Message[] } {
  const { world, scenario, faults, judge, signs } = surroundings;
  const network = new Network(world, nodes, faults, judge);
  const beforeClockJump = () => network.noteClocks();
  const onBroken = (broken: RuleBroken) => judge.fail(broken);
  for (const node of nodes) void trouble(node, { world, scenario, faults, beforeClockJump, onBroken });
  const clients = new Clients({ world, scenario, faults, network, now: () => nodes[0].now() });
  const people = new QueuePeople({ world, scenario, faults, network, nodes });
  clients.start();
  people.start();
  const rivals = new LadderPeople({ world, scenario, faults, network });
  rivals.start();
  const [node] = nodes;
  const ladders = () => rivals.streams;
  const players = new ArenaPeople({ world, scenario, faults, network, node, judge, signs, ladders });
  players.start();
  const talkers = new Talkers({ world, scenario, faults, network, ladders });
  talkers.start();
  const kinds = [clients, people, players, rivals, talkers];
  const streams = () => kinds.flatMap((each) => each.streams);
  const watchers = startWatchers(scenario.watchers, { world, node, faults, judge, streams });
  return {
    onlookers: () => [...watchers, ...players.onlookers],
    unanswered: () => talkers.unanswered,
  };
}

/** A promise that nobody caught would end a real server. */
function listenForStrayFaults(onFault: (error: unknown) => void): () => void {
  process.on("unhandledRejection", onFault);
  return () => process.off("unhandledRejection", onFault);
}
