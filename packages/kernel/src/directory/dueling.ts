import { type Duel, type DuelSeat, otherSeat, resultOf, seatIn, withAt } from "../duel/duel.ts";
import { duelLimits } from "../duel/limits.ts";
import type { Hand } from "../match/games/rock-paper-scissors.ts";
import type { Refusal } from "../refusals.ts";
import type { Both, Millis, PersonId } from "../values.ts";
import type { Drop, ThrowIn } from "./commands.ts";
import type { DuelDropped, DuelEnded, DuelOpened, Thrown } from "./events.ts";
import { NoticeBudget } from "./notices.ts";
import {
  alreadyThrown,
  duelNotFound,
  duelOpen,
  duelOver,
  nicknameMissing,
  selfDuel,
  tooManyDuels,
} from "./refusals.ts";
import { type Directory, hasInbox, nameOf } from "./state.ts";

export type DuelEvent = DuelOpened | Thrown | DuelEnded | DuelDropped;
type DuelDecision = { readonly events: readonly DuelEvent[] } | { readonly refusal: Refusal };

interface Challenging {
  readonly person: PersonId;
  readonly opponent: PersonId;
  readonly hand: Hand | null;
  readonly ladder: string | null;
  readonly network?: string | undefined;
}

/** CH4: if two people challenge each other at the same moment, the second one finds the duel open and throws in it. */
export function challenge(
  directory: Directory,
  { person, opponent, hand, ladder, network }: Challenging,
  now: Millis,
): DuelDecision {
  const { duels, people } = directory;
  if (!people.has(person)) return { refusal: nicknameMissing };
  if (person === opponent) return { refusal: selfDuel };
  const open = duels.between(person, opponent);
  if (open) {
    if (hand === null) return { refusal: duelOpen(nameOf(directory, opponent)) };
    return throwInto(directory, open, { by: seatIn(open, person)!, hand, ladder }, now);
  }
  if (duels.openedBy(person) >= duelLimits.openedByOneMax) return { refusal: tooManyDuels };
  const budget = new NoticeBudget(directory, now);
  const crowded = duels.evictedFor(opponent);
  const off = crowded && dropped(directory, crowded, { reason: "crowded", by: null, cause: person }, budget);
  const players: Both<PersonId> = [person, opponent];
  const ofDuel = { duel: duels.next, players, names: namesOf(directory, players) };
  const lapsesAt = (now + duelLimits.openMsMax) as Millis;
  const tells: DuelSeat[] = budget.allows({ to: opponent, by: person }) ? [1] : [];
  const from = network === undefined ? {} : { network };
  const opened: DuelOpened = { type: "duel-opened", ...ofDuel, tells, lapsesAt, ...from };
  const events: DuelEvent[] = off ? [off, opened] : [opened];
  return { events: hand === null ? events : [...events, { type: "thrown", ...ofDuel, by: 0, hand, ladder }] };
}

export function throwIn(
  directory: Directory,
  { person, duel: number, hand, ladder }: Omit<ThrowIn, "type">,
  now: Millis,
): DuelDecision {
  const found = duelOf(directory, person, number);
  return "refusal" in found ? found : throwInto(directory, found.duel, { by: found.seat, hand, ladder }, now);
}

export function drop(
  directory: Directory,
  { person, duel: number }: Omit<Drop, "type">,
  now: Millis,
): DuelDecision {
  const found = duelOf(directory, person, number);
  if ("refusal" in found) return found;
  const { duel, seat: by } = found;
  const reason = by === 0 ? "withdrawn" : "declined";
  return { events: [dropped(directory, duel, { reason, by }, new NoticeBudget(directory, now))] };
}

/**
 * CH4: on a channel, a challenged person who has not thrown is not notified of the cancellation. On our pages the duel
 * is in a visible list, so there they are.
 */
export function dropped(
  directory: Directory,
  { number, players, hands }: Duel,
  why: Pick<DuelDropped, "reason" | "by" | "cause">,
  budget: NoticeBudget,
): DuelDropped {
  const by = why.by === null ? why.cause : players[why.by];
  const tells = ([0, 1] as const).filter((seat) => {
    const to = players[seat];
    const cares = seat === 0 || hands[seat] !== null || hasInbox(directory, to);
    return to !== by && cares && budget.allows({ to, by });
  });
  const names = namesOf(directory, players);
  return { type: "duel-dropped", duel: number, players, names, tells, ...why };
}

function throwInto(
  directory: Directory,
  { number, players, hands, ladders }: Duel,
  { by, hand, ladder }: Pick<Thrown, "by" | "hand" | "ladder">,
  now: Millis,
): DuelDecision {
  const ofDuel = { duel: number, players, names: namesOf(directory, players) };
  if (hands[by] !== null) return { refusal: alreadyThrown(ofDuel.names[otherSeat(by)]) };
  if (hands[otherSeat(by)] === null) {
    const thrown: Thrown = { type: "thrown", ...ofDuel, by, hand, ladder };
    // A challenged person who has not answered gets a second notice of the same duel.
    const isNotice = by === 0 && new NoticeBudget(directory, now).allows({ to: players[1], by: players[0] });
    return { events: [isNotice ? { ...thrown, tells: [1] } : thrown] };
  }
  const result = resultOf(withAt(hands, by, hand) as Both<Hand>, withAt(ladders, by, ladder));
  return { events: [{ type: "duel-ended", ...ofDuel, by, ...result }] };
}

/** AU3: a duel of other people is treated as not found. */
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

function namesOf(directory: Directory, [one, other]: Both<PersonId>): Both<string> {
  return [nameOf(directory, one), nameOf(directory, other)];
}
