import * as words from "../chat/words.ts";
import type { Effect } from "../decider.ts";
import { type DuelSeat, otherSeat } from "../duel/duel.ts";
import type { PersonId } from "../values.ts";
import type { Directory } from "./directory.ts";
import type { DirectoryEvent, DuelDropped, DuelEnded } from "./events.ts";

/** CH4, CH7: what people are told who did not ask, what is sent as a reply, and what ladders have to know. */
export function effects(directory: Directory, events: readonly DirectoryEvent[]): readonly Effect[] {
  const told = new Map<string, string[]>();
  const others: Effect[] = [];
  const tell = (person: PersonId, text: string) => {
    const home = directory.people.get(person)?.home;
    if (home !== undefined) told.set(home, [...(told.get(home) ?? []), text]);
  };
  for (const event of events) {
    switch (event.type) {
      case "duel-opened":
        tell(event.players[1], words.challenged(event.names[0], isRated(events)));
        break;
      case "thrown":
        // Whoever is challenged in the same entry is told that.
        if (!events.some(({ type }) => type === "duel-opened"))
          tell(
            event.players[otherSeat(event.by)],
            words.thrownBy(event.names[event.by], event.ladder !== null),
          );
        break;
      case "duel-ended":
        tell(event.players[otherSeat(event.by)], words.result(event, event.names, otherSeat(event.by)));
        if (event.ladder !== null) others.push(matchOf(event, event.ladder));
        break;
      case "duel-dropped":
        for (const seat of [0, 1] as const)
          if (seat !== event.by) tell(event.players[seat], droppedWords(event, seat));
        break;
      case "passed":
        for (const { person, text } of event.notices) tell(person, text);
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
  for (const [to, texts] of told) others.push({ to, body: { text: texts.join("\n") } });
  return others;
}

/** Whoever opened it wants it to count. */
function isRated(events: readonly DirectoryEvent[]): boolean {
  return events.some((event) => event.type === "thrown" && event.ladder !== null);
}

/** LD12: in the shape of any match that another stream has decided. */
function matchOf({ players, names, winner }: DuelEnded, ladder: string): Effect {
  const scores = [winner === 0 ? 1 : 0, winner === 1 ? 1 : 0];
  return { to: `ladder/${ladder}`, body: { players, names, scores, duel: true } };
}

function droppedWords({ names, reason, by }: DuelDropped, seat: DuelSeat): string {
  if (by === null || reason === "lapsed") return words.lapsed(names[otherSeat(seat)]);
  return words.droppedBy(names[by], reason);
}
