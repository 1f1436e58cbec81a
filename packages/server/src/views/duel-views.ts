import {
  type DirectoryEvent,
  type DuelSeat,
  type DuelSeen,
  type Duel as KernelDuel,
  type FinishedDuel as KernelFinishedDuel,
  type Millis,
  otherSeat,
} from "@openseat/kernel";
import type { Duel } from "@openseat/protocol";
import { iso } from "./times.ts";

const unknown = {
  hasOpponentThrown: false,
  opponentThrow: null,
  result: null,
  ladder: null,
  offeredLadder: null,
  reason: null,
  at: null,
} as const;

/** MT3: the opponent's throw is shown only when both have thrown. */
export function duelView({ duel, seat }: DuelSeen, nameOf: (seat: DuelSeat) => string): Duel {
  return "end" in duel ? finishedView(duel, seat) : openView(duel, seat, nameOf(otherSeat(seat)));
}

function openView(duel: KernelDuel, seat: DuelSeat, opponent: string): Duel {
  const { number, hands, ladders, openedAt } = duel;
  return {
    ...unknown,
    id: String(number),
    status: "OPEN",
    opponent,
    yourThrow: hands[seat],
    hasOpponentThrown: hands[otherSeat(seat)] !== null,
    offeredLadder: ladders[otherSeat(seat)],
    at: iso(openedAt),
  };
}

function finishedView({ number, names, at, end }: KernelFinishedDuel, seat: DuelSeat): Duel {
  const base = { ...unknown, id: String(number), opponent: names[otherSeat(seat)], at: iso(at) };
  if ("dropped" in end) return { ...base, status: "DROPPED", yourThrow: null, reason: end.dropped };
  const { hands, winner, ladder } = end;
  return {
    ...base,
    status: "FINISHED",
    yourThrow: hands[seat],
    hasOpponentThrown: true,
    opponentThrow: hands[otherSeat(seat)],
    result: winner === null ? "draw" : winner === seat ? "won" : "lost",
    ladder,
  };
}

/** From the entry alone, so that a repeated key gets the same response. */
export function duelMadeView(events: readonly DirectoryEvent[], at: Millis): Duel {
  const event = events[events.length - 1] as Extract<
    DirectoryEvent,
    { readonly type: "duel-opened" | "thrown" | "duel-ended" | "duel-dropped" }
  >;
  const { duel: number, players, names } = event;
  if (event.type === "duel-ended") {
    const { by, hands, winner, ladder } = event;
    return finishedView({ number, players, names, at, end: { hands, winner, ladder } }, by);
  }
  if (event.type === "duel-dropped") {
    const end = { dropped: event.reason };
    return finishedView({ number, players, names, at, end }, event.by ?? 0);
  }
  const { by, hand } = event.type === "thrown" ? event : { by: 0 as const, hand: null };
  const opponent = names[otherSeat(by)];
  return { ...unknown, id: String(number), status: "OPEN", opponent, yourThrow: hand, at: iso(at) };
}
