// The cost of the directory alone, in its own process: over HTTP, network and disk hide most of it.
import {
  type Directory,
  type DirectoryCommand,
  directoryDecider,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import { compareCost, type KernelCost } from "../kernel-cost.ts";
import { personName } from "../persons.ts";
import { nicknameOf } from "./talkers.ts";

export type HearingOrder = { readonly small: number; readonly large: number; readonly rounds: number };
/** The cost of one throw; every second throw ends a duel. */
export type ThrowReport = { readonly throw: KernelCost };

const duelsPerBlock = 5_000;
const startAt = 1_750_000_000_000 as Millis;

process.once("message", (order: HearingOrder) => {
  process.send?.(measure(order));
});

/** A directory, and the version of its last entry. */
type Known = { directory: Directory | undefined; version: number };

function measure({ small, large, rounds }: HearingOrder): ThrowReport {
  const known = [filled(small), filled(large)] as const;
  const anyPair = ({ directory }: Known): number => Math.floor((Math.random() * directory!.people.size) / 2);
  let notices = 0;
  const duel = (one: Known, pair: number): void => {
    const [first, second] = [2 * pair + 1, 2 * pair + 2];
    notices += carryOut(one, throwing(first, second)) + carryOut(one, throwing(second, first));
  };
  const { smallNs, largeNs, times } = compareCost(known, { rounds, calls: duelsPerBlock }, anyPair, duel);
  if (known.some(({ directory }) => directory!.duels.openCount > 0) || notices === 0)
    throw new Error("Two throws left a duel open, or nobody was notified.");
  return { throw: { smallNs: smallNs / 2, largeNs: largeNs / 2, times } };
}

function throwing(by: number, at: number): DirectoryCommand {
  return {
    type: "hear",
    channel: "web",
    speaker: { person: personName(by) as PersonId },
    text: `throw rock @${nicknameOf(at)}`,
    isSent: true,
  };
}

/** Executes a command like a host. Returns the number of notices. */
function carryOut(known: Known, command: DirectoryCommand): number {
  const decision = directoryDecider.decide(known.directory, command, startAt);
  if ("refusal" in decision) throw new Error(decision.refusal.message);
  const { events } = decision;
  known.version++;
  for (const event of events)
    known.directory = directoryDecider.evolve(known.directory, event, startAt, known.version);
  return directoryDecider.effects!(known.directory!, events).length;
}

/** Everyone takes a nickname under the rules; nothing is stored. */
function filled(people: number): Known {
  const known: Known = { directory: undefined, version: 0 };
  for (let number = 1; number <= people; number++)
    carryOut(known, {
      type: "take-name",
      person: personName(number) as PersonId,
      nickname: nicknameOf(number),
    });
  return known;
}

process.on("disconnect", () => process.exit());
