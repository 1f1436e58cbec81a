import type { Millis, PersonId } from "../../values.ts";
import type { DirectoryEvent } from "../events.ts";
import type { Directory } from "../state.ts";

const hourMs = 60 * 60 * 1000;
/** Greater than every time, so that a higher tier outweighs any time of use. */
const aboveTimes = 2 ** 48;

/** Use is recorded by the hour, so most actions change nothing here. */
export function startOfHour(at: Millis): Millis {
  return (at - (at % hourMs)) as Millis;
}

/** LM6: records who did something in this hour, and updates the eviction order of everybody concerned. */
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
 * LM6: evict first the people who never played and never came back after the hour in which they took their nickname,
 * oldest nickname first. Then others with only a nickname, then people on ladders, then people with open duels, each
 * longest idle first. So a flood of fresh names evicts itself before it evicts players. People with an account on a
 * channel are never evicted, because accounts cannot be made for free.
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

/** The people who did something, and those whose duels, ladders or nickname the event changes. */
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
