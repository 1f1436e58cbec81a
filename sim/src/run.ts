import { gameDecider, type Millis } from "@openseat/kernel";
import { MemoryLog } from "@openseat/server";
import { Clients } from "./clients.ts";
import { Faults, type FaultTally } from "./faults.ts";
import { type Broken, Judge } from "./judge.ts";
import { must } from "./model.ts";
import { Network } from "./network.ts";
import { Node, type Parts, type Surroundings } from "./node.ts";
import { chooseScenario } from "./scenario.ts";
import { trouble } from "./troubles.ts";
import { startWatchers, type Watcher } from "./watchers.ts";
import { World } from "./world.ts";

export interface Options {
  /** Instead of as many as the seed chooses. */
  readonly steps?: number | undefined;
  readonly print?: ((line: string) => void) | undefined;
  /** Broken parts, for the tests of the simulator itself. */
  readonly parts?: Partial<Parts>;
}

export interface Report {
  readonly seed: number;
  readonly steps: number;
  readonly entries: number;
  readonly answers: number;
  readonly feedMessages: number;
  readonly faults: FaultTally;
  /** Of everything that happened, in order. */
  readonly historyHash: string;
  readonly broken: Broken | undefined;
}

/** After the storm: longer than the host trusts any timer (a minute), so that everything due has come. */
const calmMs = 65_000;

/** One world from its seed: a storm of so many steps, then a calm in which every promise has to come true. */
export async function simulate(seed: number, options: Options = {}): Promise<Report> {
  const world = new World(seed, options.print);
  const scenario = chooseScenario(world.random);
  const faults = new Faults(world.random, scenario.rates);
  const judge = new Judge(scenario.nodes, () => world.halt());
  const parts: Parts = {
    store: new MemoryLog(),
    decider: gameDecider,
    wire: (log) => log,
    publish: (hub, committed) => hub.publish(committed),
    ...options.parts,
  };
  const surroundings: Surroundings = {
    world,
    scenario,
    faults,
    parts,
    witness: {
      setOut(life) {
        if (!faults.strikes("crashAtAppend")) return;
        const node = nodes.find(({ process }) => process?.life === life);
        life.after(world.random.next() * 6, `${node?.name} dies around an append`, () => {
          if (!faults.calm) node?.crash();
        });
      },
      written: (append) => judge.written(parts.store, append),
      conflicted: (append) => judge.conflicted(append),
    },
    onFault: (error) => judge.fail(error),
  };
  const nodes = Array.from(
    { length: scenario.nodes },
    (_, index) => new Node(`node ${index + 1}`, surroundings),
  );
  const network = new Network(world, nodes, faults, judge);
  const clients = new Clients({ world, scenario, faults, network, now: () => nodes[0].now() });

  const stopListening = listenForStrayFaults((error) => judge.fail(error));
  for (const node of nodes) {
    const beforeClockJump = () => network.noteClocks();
    void trouble(node, {
      world,
      scenario,
      faults,
      beforeClockJump,
      onBroken: (broken) => judge.fail(broken),
    });
  }
  clients.start();
  const streams = () => clients.streams;
  const watchers = startWatchers(scenario.watchers, { world, node: nodes[0], faults, judge, streams });
  await world.run(() => world.steps >= (options.steps ?? scenario.steps));

  world.note("calm");
  faults.becalm();
  const calmSince = world.elapsedMs;
  const dueBefore = Math.min(...nodes.map((node) => node.now())) as Millis;
  await world.run(() => world.elapsedMs - calmSince > calmMs);
  if (!judge.broken)
    await checkPromises(judge, parts, nodes, watchers, dueBefore).catch((e) => judge.fail(e));
  stopListening();

  return {
    seed,
    steps: world.steps,
    entries: judge.ledger.entries,
    answers: judge.answers,
    feedMessages: judge.feedMessages,
    faults: faults.tally,
    historyHash: world.historyHash(),
    broken: judge.broken,
  };
}

async function checkPromises(
  { ledger }: Judge,
  { store }: Parts,
  nodes: readonly Node[],
  watchers: readonly Watcher[],
  dueBefore: Millis,
): Promise<void> {
  await ledger.compareWith(store);
  for (const stream of ledger.streams) {
    const history = ledger.history(stream);
    const { terms, ended } = history.games[history.version]!;
    const isOver = terms.endsAt !== null && terms.endsAt <= dueBefore;
    must(!isOver || ended, "RM7", `${stream} should have ended by itself, and has not`);
  }
  for (const { stream, seen } of watchers) {
    const { version } = ledger.history(stream);
    must(seen === version, "FD1", `a watcher of ${stream} has come to version ${seen} of ${version}`);
  }
  for (const { name, process } of nodes) {
    must(process !== undefined, "LG3", `${name} has not come back`);
    must(
      process.unanswered === 0,
      "GM7",
      `${name} has left ${process.unanswered} requests without an answer`,
    );
  }
}

/** A promise that nobody caught would end a real server. */
function listenForStrayFaults(onFault: (error: unknown) => void): () => void {
  process.on("unhandledRejection", onFault);
  return () => process.off("unhandledRejection", onFault);
}
