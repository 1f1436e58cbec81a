import type { Faults } from "./faults.ts";
import type { Node } from "./node.ts";
import { RuleBroken } from "./rule.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly beforeClockJump: () => void;
  readonly onBroken: (broken: RuleBroken) => void;
}

const hourMs = 60 * 60 * 1000;
/** By how far a clock is set: a correction, a wrong zone, a dead battery. */
const jumpsMs = [20, 500, 5_000, hourMs, 30 * hourMs];
/** Longer than a duel may be open. */
const longJumpMs = 200 * hourMs;

/** What befalls a machine: its server dies or is restarted, its clock is set. Other things may kill the server too. */
export async function trouble(node: Node, { world, scenario, faults, ...tell }: Setting): Promise<void> {
  const { random } = world;
  const isTalk = Object.values(scenario.talkers).some((count) => count > 0);
  const jumps = isTalk ? [...jumpsMs, longJumpMs] : jumpsMs;
  node.start();
  while (!faults.calm) {
    const pause = world.pause(random.next() * 2 * scenario.troubleEveryMs, `${node.name} has its troubles`);
    await Promise.race([pause, node.process?.life.ended]);
    if (faults.strikes("clockJump")) {
      tell.beforeClockJump();
      const byMs = random.pick([1, -1]) * random.between(1, random.pick(jumps));
      node.setClock(byMs);
      world.note(`  ${node.name}: its clock is set by ${byMs} ms`);
    }
    if (faults.strikes("cleanStop")) {
      world.note(`  ${node.name}: is told to stop`);
      const left = await node.stop();
      if (left > 0) tell.onBroken(new RuleBroken("GM2", `a clean stop left ${left} requests unanswered`));
    } else if (faults.strikes("crash")) {
      world.note(`  ${node.name}: dies`);
      node.crash();
    }
    if (node.process) continue;
    await world.pause(random.next() * 500, `${node.name} comes back`);
    node.start();
  }
}
