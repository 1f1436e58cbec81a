import type { Millis } from "@openseat/kernel";
import { ArenaPeople } from "./arena/people.ts";
import type { Message } from "./chat/message.ts";
import { Talkers } from "./chat/talkers.ts";
import { Cluster } from "./cluster/cluster.ts";
import { withLateNumbers } from "./cluster/late-numbers.ts";
import { storeTime } from "./cluster/lines.ts";
import { Membership } from "./cluster/membership.ts";
import { rewindingStore } from "./cluster/rewinding-store.ts";
import { Disk } from "./disk.ts";
import { type FaultKind, Faults, type FaultTally } from "./faults.ts";
import { Clients } from "./game/clients.ts";
import { type Broken, Judge } from "./judge.ts";
import { LadderPeople } from "./ladder/people.ts";
import type { Figures } from "./ledger.ts";
import { setLimits } from "./limits.ts";
import { machineFaults, storeFaults } from "./machine-faults.ts";
import { Network } from "./network.ts";
import { Node } from "./node.ts";
import { type Parts, soundParts } from "./parts.ts";
import { PresenceChecks } from "./presence-checks.ts";
import { Random } from "./prng.ts";
import type { Surroundings } from "./process.ts";
import { checkPromises, checkPunctual, lateMsMax, type Onlooker } from "./promises.ts";
import { QueuePeople } from "./queue/people.ts";
import { RuleBroken } from "./rule.ts";
import { chooseScenario, type Scenario, type Theme } from "./scenario.ts";
import type { Witness } from "./sim-log.ts";
import { startWatchers } from "./watchers.ts";
import { type Life, World } from "./world.ts";

export interface Options {
  /** Number of steps; default: the seed's choice. */
  readonly steps?: number | undefined;
  /** Kind of rooms; default: the seed's choice. */
  readonly theme?: Theme | undefined;
  /** Only worlds with several nodes. */
  readonly several?: boolean | undefined;
  /** Parts of the scenario that replace the seed's choice. */
  readonly scenario?: Partial<Scenario> | undefined;
  readonly print?: ((line: string) => void) | undefined;
  /** Broken parts, for the simulator's own tests. */
  readonly parts?: Partial<Parts>;
}

export interface Report extends Figures {
  readonly seed: number;
  readonly steps: number;
  readonly answers: number;
  readonly feedMessages: number;
  /** Repeated deliveries to ladders. */
  readonly redeliveries: number;
  /** Answered deliveries of messages; messages that reached people, repeated ones, and dead letters. */
  readonly brought: number;
  readonly sent: number;
  readonly sentAgain: number;
  readonly setAside: number;
  readonly resent: number;
  readonly faults: FaultTally;
  /** Hash over everything that happened, in order. */
  readonly historyHash: string;
  readonly broken: Broken | undefined;
}

/** Length of the calm. Longer than the host's longest timer (a minute), so that all due work is done. */
const calmMs = 65_000;
/** Time from the start of the calm until all effects of faults are over. */
const recoveryMs = 5_000;
/** By then nobody is left to act, and no clock is running. */
const restlessMsMax = 15 * 60_000;
/** Nothing is written for this long at the end, because watchers check once per second. */
const quietMs = 2_000;

/** After these faults a message may have been sent without a record of it. */
const mayRepeat: ReadonlySet<FaultKind> = new Set([
  ...(["crash", "crashAtAppend", "crashAtDelivery", "cleanStop", "freeze", "cut", "outage"] as const),
  ...(["lostWord", "slowLog", "failedRead", "failedReceipt", "lostReceiptAnswer", "lostSendAnswer"] as const),
  ...(["failedSend", "slowSend", "failedAppend", "lostAppendAnswer"] as const),
]);

/** Runs one world from its seed: a storm of some steps, then a calm in which every promise must be kept. */
export async function simulate(seed: number, options: Options = {}): Promise<Report> {
  const world = new World(new Random(seed), options.print);
  const scenario = { ...chooseScenario(world.random, options.theme, options.several), ...options.scenario };
  const { isShared } = scenario;
  setLimits(scenario.isTight);
  const faults = new Faults(world.random, scenario.rates);
  const judge = new Judge(() => world.halt(), { isShared });
  const membership = isShared ? new Membership(world) : undefined;
  const presence = new PresenceChecks(world, judge.ledger, membership);
  faults.onFault = (kind, forMs) => {
    presence.noteFault(kind, forMs);
    if (mayRepeat.has(kind)) judge.post.disturbed(world.elapsedMs + forMs);
  };
  const given = { ...soundParts(), ...options.parts };
  const rewinding = scenario.rates.wentBack && !options.parts?.store ? rewindingStore() : undefined;
  const kept = rewinding ? { ...given, store: rewinding } : given;
  const parts = scenario.hasLateNumbers ? { ...kept, store: withLateNumbers(kept.store, world) } : kept;
  const goBack = async (changes: number) => judge.wentBack((await rewinding?.goBack(changes)) ?? new Map());
  const nodes: Node[] = [];
  const witness = witnessFor(judge, { world, faults, parts, presence, nodes, membership });
  const cluster = membership && new Cluster(world, faults, parts, witness, membership);
  const disk = new Disk(world);
  const checks = { judge, presence, witness };
  const surroundings: Surroundings = { world, scenario, faults, parts, ...checks, disk, cluster };
  for (let number = 1; number <= scenario.nodes; number++)
    nodes.push(new Node(`node ${number}`, surroundings));

  const stopListening = listenForStrayFaults((error) => judge.fail(error));
  const { onlookers, unanswered } = populate(surroundings, nodes, goBack);
  // An error thrown in a timer would crash a real server.
  const run = (done: () => boolean) => world.run(done).catch((error) => judge.fail(error));
  await run(() => world.steps >= (options.steps ?? scenario.steps));
  const dueBefore = await becalm(surroundings, nodes, run);
  const promised = {
    judge,
    unanswered: unanswered(),
    store: parts.store,
    nodes,
    watchers: onlookers(),
    presence,
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

/** Ends all faults and activity. Resolves with the time before which all due work must be done. */
async function becalm(
  surroundings: Surroundings,
  nodes: readonly Node[],
  run: (done: () => boolean) => Promise<void>,
): Promise<Millis> {
  const { world, faults, judge, presence, disk, cluster } = surroundings;
  world.note("calm");
  faults.becalm();
  disk.mend();
  if (cluster) settle(cluster, nodes, surroundings);
  const calmSince = world.elapsedMs;
  const slowestClock = () => {
    return cluster ? storeTime(world) : (Math.min(...nodes.map((node) => node.now())) as Millis);
  };
  const clockAtFirst = slowestClock();
  // A timer set by a wrong clock fires within a minute; otherwise it fires on time.
  const areClocksTrue = cluster !== undefined || faults.tally.clockJump === 0;
  let writtenAtMs = calmSince;
  judge.onWritten = (stream, before) => {
    writtenAtMs = world.elapsedMs;
    presence?.written(stream, before);
    const since = (clockAtFirst + recoveryMs) as Millis;
    if (areClocksTrue) checkPunctual(judge.ledger, stream, before, since);
  };
  await run(() => {
    const calmForMs = world.elapsedMs - calmSince;
    if (calmForMs > restlessMsMax) {
      judge.check(() => judge.post.checkAll());
      judge.fail(new RuleBroken("RM5", "rooms without people never come to rest"));
    }
    return calmForMs > calmMs && world.elapsedMs - writtenAtMs > quietMs && judge.post.isQuiet;
  });
  return (areClocksTrue ? slowestClock() - lateMsMax : clockAtFirst) as Millis;
}

/** Ends all cluster faults, for the nodes that are left: at least one. */
function settle(cluster: Cluster, nodes: readonly Node[], { world, faults }: Surroundings): void {
  // Tell the judge that these faults lasted until now: it allows time to recover from then on.
  if (cluster.mend()) faults.onFault("cut", 0);
  for (const { process } of nodes) {
    if (!process?.life.isFrozen) continue;
    faults.onFault("freeze", 0);
    process.life.thaw();
  }
  const alive = nodes.filter(({ process, stopping }) => process && !stopping);
  if (alive.length === 0) {
    nodes.find(({ process }) => !process)?.start();
    return;
  }
  const kept = world.random.pick(alive);
  for (const node of nodes) {
    if (node === kept || !world.random.chance(0.3)) continue;
    node.isGivenUp = true;
    faults.count("crash");
    node.crash();
  }
}

/** Observes every append on its way; some appends crash their process. */
export function witnessFor(
  judge: Judge,
  {
    world,
    faults,
    parts,
    presence,
    nodes,
    membership,
  }: Omit<Surroundings, "scenario" | "judge" | "witness" | "disk" | "cluster"> & {
    nodes: readonly Node[];
    membership?: Membership | undefined;
  },
): Witness {
  const checkLeaders = () => {
    const believers = nodes.filter(({ process }) => process?.isLeader).map(({ runName }) => runName);
    judge.check(() => membership?.checkLeaders(believers));
  };
  judge.onWritten = (stream, before) => {
    presence?.written(stream, before);
    // CL5: in a cluster there is always a node that does due work, except shortly after a fault.
    if (membership && presence) checkPunctual(judge.ledger, stream, before, presence.punctualFrom);
  };
  const nodeOf = (life: Life) => nodes.find(({ process }) => process?.life === life);
  const dieSoon = (life: Life, around: string) => {
    const node = nodeOf(life);
    life.after(world.random.next() * 6, `${node?.name} dies around ${around}`, () => {
      if (!faults.calm) node?.crash();
    });
  };
  return {
    setOut(life, appends) {
      const { process } = nodeOf(life) ?? {};
      if (process) judge.ledger.setOut(appends, process.now());
      judge.check(() => presence?.decided(life, appends));
      if (faults.strikes("crashAtAppend")) dieSoon(life, "an append");
    },
    heartbeatAnswered(life, state) {
      const { runName } = nodeOf(life)!;
      membership?.heartbeatAnswered(runName, state);
      checkLeaders();
    },
    learnt: (life, advanced) => presence?.learnt(life, advanced),
    delivering(life) {
      if (membership) checkLeaders();
      if (faults.strikes("crashAtDelivery")) dieSoon(life, "a delivery");
    },
    handedOut: (items) => judge.deliveries.handedOut(items),
    noted: (note) => judge.check(() => judge.post.noted(note)),
    written: (append) => judge.written(parts.store, append),
    conflicted: (append) => judge.conflicted(append),
    hindered: () => presence?.hindered(),
  };
}

/** Adds the machines with their faults, the people and the watchers. */
function populate(
  surroundings: Surroundings,
  nodes: readonly Node[],
  goBack: (changes: number) => Promise<void>,
): { onlookers(): readonly Onlooker[]; unanswered(): readonly Message[] } {
  const { world, scenario, faults, judge, presence, disk, cluster } = surroundings;
  const network = new Network(world, nodes, faults, judge);
  const setClock = (node: Node, byMs: number) => {
    network.noteClocks();
    node.setClock(byMs);
    presence?.clockSet(byMs);
  };
  const onBroken = (broken: RuleBroken) => judge.fail(broken);
  for (const node of nodes)
    void machineFaults(node, { world, scenario, faults, cluster, setClock, onBroken });
  void storeFaults({ world, scenario, faults, disk, cluster, goBack });
  const now = () => (cluster ? storeTime(world) : nodes[0].now());
  const clients = new Clients({ world, scenario, faults, network, now });
  const people = new QueuePeople({ world, scenario, faults, network, nodes });
  clients.start();
  people.start();
  const rivals = new LadderPeople({ world, scenario, faults, network });
  rivals.start();
  const ladders = () => rivals.streams;
  const players = new ArenaPeople({ world, scenario, faults, network, nodes, judge, presence, ladders });
  players.start();
  const talkers = new Talkers({ world, scenario, faults, network, ladders });
  talkers.start();
  const kinds = [clients, people, players, rivals, talkers];
  const streams = () => kinds.flatMap((each) => each.streams);
  const watchers = startWatchers(scenario.watchers, { world, nodes, faults, judge, streams });
  return {
    onlookers: () => [...watchers, ...players.onlookers],
    unanswered: () => talkers.unanswered,
  };
}

/** An unhandled rejection would crash a real server. */
function listenForStrayFaults(onFault: (error: unknown) => void): () => void {
  process.on("unhandledRejection", onFault);
  return () => process.off("unhandledRejection", onFault);
}
