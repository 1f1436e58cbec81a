import type { Cluster } from "./cluster/cluster.ts";
import type { Disk } from "./disk.ts";
import type { Faults } from "./faults.ts";
import type { Node } from "./node.ts";
import { RuleBroken } from "./rule.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly cluster: Cluster | undefined;
  readonly setClock: (node: Node, byMs: number) => void;
  readonly onBroken: (broken: RuleBroken) => void;
}

const hourMs = 60 * 60 * 1000;
/** Clock changes: a correction, a wrong time zone, an empty battery. */
const jumpsMs = [20, 500, 5_000, hourMs, 30 * hourMs];
/** How long a node is frozen or cut off: a hiccup, longer than its commit, and longer than others wait for it. */
const absencesMs = [5, 100, 500, 900, 1_800, 2_600, 4_000, 9_000, 24_000];
/** How long the store is down. */
const outagesMs = [20, 300, 1_500, 2_900, 3_500, 8_000];
/** Longer than a duel may stay open. */
const longJumpMs = 200 * hourMs;

/**
 * Faults of a machine: its server dies or restarts, or its clock changes. Other faults may also kill the server.
 */
export async function machineFaults(
  node: Node,
  { world, scenario, faults, cluster, ...tell }: Setting,
): Promise<void> {
  const { random } = world;
  const isTalk = Object.values(scenario.talkers).some((count) => count > 0);
  const jumps = isTalk ? [...jumpsMs, longJumpMs] : jumpsMs;
  // The node uses the store's clock, whatever its own says.
  if (cluster) node.setClock(random.pick(jumpsMs) * (random.next() - 0.5));
  node.start();
  while (!faults.calm) {
    const pause = world.pause(random.next() * 2 * scenario.faultEveryMs, `the next fault of ${node.name}`);
    await Promise.race([pause, node.process?.life.ended]);
    if (faults.strikes("clockJump")) {
      const byMs = random.pick([1, -1]) * random.between(1, random.pick(jumps));
      tell.setClock(node, byMs);
      world.note(`  ${node.name}: its clock changes by ${byMs} ms`);
    }
    if (faults.strikes("cleanStop")) {
      world.note(`  ${node.name}: stops cleanly`);
      const left = await node.stop();
      if (left > 0) tell.onBroken(new RuleBroken("GM2", `a clean stop left ${left} requests unanswered`));
    } else if (faults.strikes("crash")) {
      world.note(`  ${node.name}: dies`);
      node.crash();
    } else if (cluster) leaveAlone(node, cluster, { world, faults });
    if (node.process) continue;
    const downMs = random.next() * (cluster && !faults.calm && random.chance(0.2) ? 8_000 : 500);
    await world.pause(downMs, `${node.name} comes back`);
    if (!node.isGivenUp && !node.process) node.start();
  }
}

/** The node is frozen, or cannot reach the store, for a while. */
function leaveAlone(
  node: Node,
  cluster: Cluster,
  { world, faults }: Pick<Setting, "world" | "faults">,
): void {
  const forMs = world.random.pick(absencesMs) * (0.5 + world.random.next());
  const life = node.process?.life;
  if (!life) return;
  if (faults.comes("freeze") && !life.isFrozen) {
    world.note(`  ${node.name}: is frozen for ${forMs} ms`);
    faults.count("freeze");
    life.freeze();
    world.after(forMs, `${node.name} continues`, () => {
      if (!life.isFrozen) return;
      faults.onFault("freeze", 0);
      life.thaw();
    });
  } else if (faults.comes("cut")) {
    world.note(`  ${node.name}: is cut off for ${forMs} ms`);
    faults.count("cut");
    cluster.cut(node.runName, forMs);
    world.after(forMs, `${node.name} was cut off`, () => {
      if (!faults.calm) faults.onFault("cut", 0);
    });
  }
}

/** Sometimes kills and restarts the store. */
export async function storeFaults({
  world,
  scenario,
  faults,
  disk,
  cluster,
  goBack,
}: Pick<Setting, "world" | "scenario" | "faults" | "cluster"> & {
  readonly disk: Disk;
  readonly goBack: (changes: number) => Promise<void>;
}): Promise<void> {
  // Most standalone nodes have no such faults, and skip the pauses between them.
  while (!faults.calm && (cluster || scenario.rates.outage)) {
    await world.pause(world.random.next() * 2 * scenario.faultEveryMs, "the next fault of the store");
    if (cluster && faults.comes("wentBack")) await failOver({ world, faults, cluster, goBack });
    if (!faults.comes("outage")) continue;
    const forMs = world.random.pick(outagesMs) * (0.5 + world.random.next());
    world.note(`  the store is down for ${forMs} ms`);
    faults.count("outage", forMs);
    if (cluster) cluster.breakDown(forMs);
    else disk.breakDown(forMs, world.random.pick(["fails", "hangs"]));
    await world.pause(forMs, "the store is back");
  }
}

/** CL6: a standby takes over without the latest entries. */
async function failOver({
  world,
  faults,
  cluster,
  goBack,
}: Pick<Setting, "world" | "faults"> & {
  readonly cluster: Cluster;
  readonly goBack: (changes: number) => Promise<void>;
}): Promise<void> {
  const forMs = world.random.pick(outagesMs) * (0.5 + world.random.next());
  const changes = world.random.between(1, 12);
  world.note(`  the store goes back by ${changes} changes, and is down for ${forMs} ms`);
  faults.count("wentBack", forMs);
  cluster.failOver(forMs);
  await goBack(changes);
  await world.pause(forMs, "another store has taken over");
}
