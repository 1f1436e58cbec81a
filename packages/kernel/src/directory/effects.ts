import * as words from "../chat/words.ts";
import type { Effect } from "../decider.ts";
import { type DuelSeat, otherSeat } from "../duel/duel.ts";
import type { DirectoryEvent, DuelDropped, DuelEnded, Thrown } from "./events.ts";
import { seatsNotified } from "./notices.ts";
import { Notifications } from "./notifications.ts";
import type { Directory } from "./state.ts";

/** CH4, CH7: notices, replies to send, and what ladders have to know. */
export function effects(directory: Directory, events: readonly DirectoryEvent[]): readonly Effect[] {
  const notifications = new Notifications(directory, events);
  const others: Effect[] = [];
  for (const event of events) {
    switch (event.type) {
      case "duel-opened":
        for (const seat of seatsNotified(event))
          notifications.addUnsolicited(event.players[seat], (hasReaders) =>
            words.challenged(event.names[0], isRated(events), hasReaders),
          );
        break;
      case "thrown":
        notifyThrown(notifications, event);
        break;
      case "duel-ended": {
        const waiting = otherSeat(event.by);
        notifications.add(event.players[waiting], () => words.result(event, event.names, waiting));
        if (event.ladder !== null) others.push(matchOf(event, event.ladder));
        break;
      }
      case "duel-dropped":
        for (const seat of seatsNotified(event))
          notifications.addUnsolicited(event.players[seat], () => droppedWords(event, seat));
        break;
      case "passed":
        for (const { person, text } of event.notices) notifications.addUnsolicited(person, () => text);
        break;
      case "named":
        for (const ladder of directory.people.get(event.person)!.ladders)
          others.push({ to: `ladder/${ladder}`, body: { named: [event.person, event.nickname] } });
        break;
      case "forgotten":
        for (const ladder of event.ladders)
          others.push({ to: `ladder/${ladder}`, body: { gone: event.person } });
        break;
      case "answered":
        if (event.to !== null) others.push({ to: event.to, body: { said: event.text, text: event.reply } });
    }
  }
  return [...others, ...notifications.effects];
}

/** Notify the person who opened the duel. The challenged person may not want to know. */
function notifyThrown(notifications: Notifications, event: Thrown): void {
  const { by, players, names, ladder } = event;
  const makeText = (hasReaders: boolean) => words.thrownBy(names[by], ladder !== null, hasReaders);
  if (by === 1) notifications.add(players[0], makeText);
  for (const seat of seatsNotified(event)) notifications.addUnsolicited(players[seat], makeText);
}

/** Whether the opener wants the duel to count. */
function isRated(events: readonly DirectoryEvent[]): boolean {
  return events.some((event) => event.type === "thrown" && event.ladder !== null);
}

/** LD12: in the same form as any match that another stream has decided. */
function matchOf({ players, names, winner }: DuelEnded, ladder: string): Effect {
  const scores = [winner === 0 ? 1 : 0, winner === 1 ? 1 : 0];
  return { to: `ladder/${ladder}`, body: { players, names, scores, duel: true } };
}

function droppedWords({ names, reason, by }: DuelDropped, seat: DuelSeat): string {
  const other = names[otherSeat(seat)];
  if (reason === "crowded") return words.crowdedOut(other, seat === 0);
  if (by === null || reason === "lapsed") return words.lapsed(other);
  return words.droppedBy(names[by], reason);
}
