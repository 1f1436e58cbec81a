import type { Millis, PersonId } from "../../values.ts";
import type { DirectoryEvent } from "../events.ts";
import type { Directory } from "../state.ts";

const hourMs = 60 * 60 * 1000;
/** Above every time: a higher tier outweighs any time of use. */
const aboveTimes = 2 ** 48;

/** Use is noted by the hour, so that most of what people do changes nothing here. */
export function startOfHour(at: Millis): Millis {
  return (at - (at % hourMs)) as Millis;
}

/** LM6: notes who did something in this hour, and ranks everybody concerned anew. */
export function noteUse(directory: Directory, event: DirectoryEvent, at: Millis): void {
  const { people } = directory;
  const { used, concerned } = peopleIn(event);
  const known = used === undefined ? undefined : people.get(used);
  const usedAt = startOfHour(at);
  if (used !== undefined && known && known.usedAt !== usedAt) {
    people.set(used, { ...known, usedAt });
    rankForEviction(directory, used);
  }
  for (const person of concerned) rankForEviction(directory, person);
}

/**
 * LM6: first those who never played, and never came back after the hour in which they took their nickname: the oldest nickname
 * first. Then the others with nothing but a nickname, then those on ladders, then those with open duels, each the longest idle
 * first. A flood of fresh names therefore evicts itself before it evicts players. People with an account on a channel are never
 * evicted: accounts cannot be made for free.
 */
export function rankForEviction({ people, duels, evictable }: Directory, person: PersonId): void {
  const known = people.get(person);
  if (known?.account !== null) {
    evictable.remove(person);
    return;
  }
  const { ladders, namedAt, usedAt, hasPlayed, network } = known;
  const isFresh = !hasPlayed && usedAt <= namedAt;
  const tier = duels.hasOpen(person) ? 3 : ladders.length > 0 ? 2 : isFresh ? 0 : 1;
  evictable.put(person, tier * aboveTimes + (tier === 0 ? namedAt : usedAt), network);
}

/** Who did something by it, and whose duels, ladders or nickname it changes. */
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
