import type {
  Asker,
  Ladder,
  LadderCommand,
  LadderEvent,
  LadderSettings,
  PersonId,
  RatingTerms,
} from "@openseat/kernel";
import type { Streams } from "@openseat/server";
import { askInOrder } from "../asked-in-order.ts";
import { personName } from "../persons.ts";

type Ladders = Streams<Ladder, LadderCommand, LadderEvent>;

/** A ladder to fill: persons 1, 2, 3… are enrolled one after the other. */
export type LadderOrder = { readonly ladder: string; readonly players: number };

const operator: Asker = { by: "@operator", role: "operator" };
const lowestRating = 200;
const ratingsWide = 2_400;

const rating: RatingTerms = {
  system: "elo",
  start: 1_000,
  floor: 0,
  k: [{ from: 0, k: 32 }],
  curve: "logistic",
  provisionalGames: 0,
  deviation: 0,
  volatility: 0,
  tau: 0.5,
  provisionalDeviation: 110,
};

const settings: LadderSettings = {
  title: "A long ladder",
  open: true,
  confirm: false,
  confirmWindowMs: 86_400_000,
  undoWindowMs: 86_400_000,
};

export const createLadder: LadderCommand = { type: "create", rating, settings, creator: operator.by };

/** The enrolment of this person, with a rating that does not depend on the order of enrolment. */
export function enrolment(number: number): LadderCommand {
  return {
    type: "enrol",
    person: personName(number) as PersonId,
    name: `Player ${number}`,
    rating: ratingOf(number),
    asker: operator,
  };
}

/** A distinct value per number, always the same: multiples of the golden ratio spread evenly. */
export function ratingOf(number: number): number {
  return lowestRating + (ratingsWide * (Math.imul(number, 0x9e3779b1) >>> 0)) / 2 ** 32;
}

/** The host decides every enrolment and the log stores it, as over HTTP but without the network. */
export async function fillLadder(
  ladders: Ladders,
  { ladder, players }: LadderOrder,
  onEnrolled: (count: number) => void,
): Promise<void> {
  const ask = async (command: LadderCommand): Promise<void> => {
    const outcome = await ladders.ask(ladder, { command, by: operator.by });
    if ("refusal" in outcome) throw new Error(`Filling a ladder was refused: ${outcome.refusal.message}`);
  };
  await ask(createLadder);
  await askInOrder(players, (number) => ask(enrolment(number)), onEnrolled);
}
