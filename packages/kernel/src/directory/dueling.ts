import { type Duel, type DuelSeat, otherSeat, resultOf, seatIn, withAt } from "../duel/duel.ts";
import { duelLimits } from "../duel/limits.ts";
import type { Both } from "../ladder/ratings/rating.ts";
import type { Hand } from "../match/games/rock-paper-scissors.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis, PersonId } from "../values.ts";
import type { Drop, ThrowIn } from "./commands.ts";
import { type Directory, nameOf } from "./directory.ts";
import type { DuelDropped, DuelEnded, DuelOpened, Thrown } from "./events.ts";
import {
  alreadyThrown,
  duelNotFound,
  duelOpen,
  duelOver,
  nicknameMissing,
  selfDuel,
  tooManyDuels,
} from "./refusals.ts";

export type DuelEvent = DuelOpened | Thrown | DuelEnded | DuelDropped;
type DuelDecision = { readonly events: readonly DuelEvent[] } | { readonly refusal: Refusal };

interface Challenging {
  readonly person: PersonId;
  readonly opponent: PersonId;
  readonly hand: Hand | null;
  readonly ladder: string | null;
}

/** CH4: two who throw at each other in the same instant are in one duel: whoever is second finds it open. */
export function challenge(
  directory: Directory,
  { person, opponent, hand, ladder }: Challenging,
  now: Millis,
): DuelDecision {
  const { duels, people } = directory;
  if (!people.has(person)) return { refusal: nicknameMissing };
  if (person === opponent) return { refusal: selfDuel };
  const open = duels.between(person, opponent);
  if (open) {
    if (hand === null) return { refusal: duelOpen(nameOf(directory, opponent)) };
    return throwInto(directory, open, seatIn(open, person)!, hand, ladder);
  }
  const refusal = crowded(directory, person, opponent);
  if (refusal) return { refusal };
  const players: Both<PersonId> = [person, opponent];
  const ofDuel = { duel: duels.next, players, names: namesOf(directory, players) };
  const lapsesAt = (now + duelLimits.openMsMax) as Millis;
  const opened: DuelOpened = { type: "duel-opened", ...ofDuel, lapsesAt };
  return { events: hand === null ? [opened] : [opened, { type: "thrown", ...ofDuel, by: 0, hand, ladder }] };
}

export function throwIn(
  directory: Directory,
  { person, duel: number, hand, ladder }: Omit<ThrowIn, "type">,
): DuelDecision {
  const found = duelOf(directory, person, number);
  return "refusal" in found ? found : throwInto(directory, found.duel, found.seat, hand, ladder);
}

export function drop(directory: Directory, { person, duel: number }: Omit<Drop, "type">): DuelDecision {
  const found = duelOf(directory, person, number);
  if ("refusal" in found) return found;
  const { duel, seat } = found;
  return { events: [dropped(directory, duel, seat === 0 ? "withdrawn" : "declined", seat)] };
}

export function dropped(
  directory: Directory,
  { number, players }: Duel,
  reason: DuelDropped["reason"],
  by: DuelSeat | null,
): DuelDropped {
  const names = namesOf(directory, players);
  return { type: "duel-dropped", duel: number, players, names, reason, by };
}

function throwInto(
  directory: Directory,
  { number, players, hands, ladders }: Duel,
  by: DuelSeat,
  hand: Hand,
  ladder: string | null,
): DuelDecision {
  const ofDuel = { duel: number, players, names: namesOf(directory, players) };
  if (hands[by] !== null) return { refusal: alreadyThrown(ofDuel.names[otherSeat(by)]) };
  if (hands[otherSeat(by)] === null) return { events: [{ type: "thrown", ...ofDuel, by, hand, ladder }] };
  const result = resultOf(withAt(hands, by, hand) as Both<Hand>, withAt(ladders, by, ladder));
  return { events: [{ type: "duel-ended", ...ofDuel, by, ...result }] };
}

/** AU3: a duel of others is none. */
function duelOf(
  { duels }: Directory,
  person: PersonId,
  number: Duel["number"],
): { readonly duel: Duel; readonly seat: DuelSeat } | { readonly refusal: Refusal } {
  const known = duels.get(number);
  const seat = known && seatIn(known, person);
  if (known === undefined || seat === undefined) return { refusal: duelNotFound };
  return "end" in known ? { refusal: duelOver } : { duel: known, seat };
}

function crowded({ duels }: Directory, person: PersonId, opponent: PersonId): Refusal | undefined {
  const { openMax, openedByOneMax, challengesToOneMax } = duelLimits;
  if (duels.openCount >= openMax) return tooManyDuels("all");
  if (duels.openCountOf(person, 0) >= openedByOneMax) return tooManyDuels("yours");
  return duels.openCountOf(opponent, 1) >= challengesToOneMax ? tooManyDuels("theirs") : undefined;
}

function namesOf(directory: Directory, [one, other]: Both<PersonId>): Both<string> {
  return [nameOf(directory, one), nameOf(directory, other)];
}
