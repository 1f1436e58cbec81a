// The cost of a rank in the kernel alone, in its own process: over HTTP, the network hides most of it.
import {
  type Ladder,
  type LadderCommand,
  ladderDecider,
  type Millis,
  type PlayerNumber,
  standingsAfter,
} from "@openseat/kernel";
import { compareCost, type KernelCost } from "../kernel-cost.ts";
import { createLadder, enrolment, ratingOf } from "./ladder-filling.ts";
import { playersPerPage } from "./ladder-requests.ts";

export type RanksOrder = { readonly small: number; readonly large: number; readonly rounds: number };
export type RanksReport = { readonly rank: KernelCost; readonly page: KernelCost };

const ranksPerBlock = 50_000;
const pagesPerBlock = 1_000;
const startAt = 1_750_000_000_000 as Millis;

process.once("message", (order: RanksOrder) => {
  process.send?.(measure(order));
});

function measure({ small, large, rounds }: RanksOrder): RanksReport {
  const ladders = [filledLadder(small), filledLadder(large)] as const;
  const anyone = ({ players }: Ladder): number => 1 + Math.floor(Math.random() * players.size);
  let sink = 0;
  const rank = ({ standings }: Ladder, player: number): void => {
    sink += standings.rankOf(player as PlayerNumber)!;
  };
  const page = (ladder: Ladder, player: number): void => {
    const cursor = { rating: ratingOf(player), player: player as PlayerNumber };
    sink += standingsAfter(ladder, cursor, playersPerPage).length;
  };
  const report = {
    rank: compareCost(ladders, { rounds, calls: ranksPerBlock }, anyone, rank),
    page: compareCost(ladders, { rounds, calls: pagesPerBlock }, anyone, page),
  };
  if (!(sink > 0)) throw new Error("A player has no rank.");
  return report;
}

/** Everyone is enrolled under the rules; nothing is stored. */
function filledLadder(players: number): Ladder {
  let ladder: Ladder | undefined;
  let version = 0;
  const carryOut = (command: LadderCommand): void => {
    const decision = ladderDecider.decide(ladder, command, startAt);
    if ("refusal" in decision) throw new Error(decision.refusal.message);
    version++;
    for (const event of decision.events) ladder = ladderDecider.evolve(ladder, event, startAt, version);
  };
  carryOut(createLadder);
  for (let number = 1; number <= players; number++) carryOut(enrolment(number));
  return ladder!;
}

process.on("disconnect", () => process.exit());
