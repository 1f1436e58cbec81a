import type { Millis, PersonId } from "../values.ts";
import type { Directory } from "./directory.ts";
import type { DirectoryEvent } from "./events.ts";

/** An hour more or less does not matter: so most of what people do changes nothing here. */
const hourMs = 60 * 60 * 1000;

/** LM6: notes who did something in this hour, and who of those concerned could make room for others. */
export function noteUse(directory: Directory, event: DirectoryEvent, at: Millis): void {
  const { people } = directory;
  const { used, concerned } = peopleIn(event);
  const known = used === undefined ? undefined : people.get(used);
  const usedAt = (at - (at % hourMs)) as Millis;
  if (used !== undefined && known && known.usedAt !== usedAt) {
    people.set(used, { ...known, usedAt });
    rankIdle(directory, used);
  }
  for (const person of concerned) rankIdle(directory, person);
}

/** They can make room for others while they have nothing to lose but a nickname. */
export function rankIdle({ people, duels, idle }: Directory, person: PersonId): void {
  const known = people.get(person);
  const hasNothing = known?.account === null && known.ladders.length === 0 && !duels.hasOpen(person);
  if (hasNothing) idle.put(person, known.usedAt ?? 0);
  else idle.remove(person);
}

/** Who did something by it, and whose nickname may be all that they have from now on, or not any more. */
function peopleIn(event: DirectoryEvent): {
  readonly used: PersonId | undefined;
  readonly concerned: readonly PersonId[];
} {
  switch (event.type) {
    case "named":
    case "registered":
      return { used: event.person, concerned: [event.person] };
    case "answered":
    case "asked":
      return { used: event.person ?? undefined, concerned: [] };
    case "forgotten":
      return { used: undefined, concerned: [event.person] };
    case "duel-opened":
      return { used: event.players[0], concerned: event.players };
    case "thrown":
      return { used: event.players[event.by], concerned: [] };
    case "duel-ended":
    case "duel-dropped":
      return { used: event.by === null ? undefined : event.players[event.by], concerned: event.players };
    default:
      return { used: undefined, concerned: [] };
  }
}
