import type { Effect } from "../decider.ts";
import type { ArenaEvent, Ended } from "./events.ts";
import type { ArenaRoom } from "./state.ts";

/** LD12: sends the result of a finished match to the arena's ladder. */
export function effects({ terms }: ArenaRoom, events: readonly ArenaEvent[]): readonly Effect[] {
  if (!terms.rated) return none;
  const ended = events.find((event) => event.type === "ended");
  if (!ended || !isRated(ended)) return none;
  const { players, winner } = ended;
  const pointsOf = (seat: number) => (seat === winner ? 1 : 0);
  const [first, second] = players;
  const body = {
    players: [first.person, second.person],
    names: [first.name, second.name],
    scores: [pointsOf(first.seat), pointsOf(second.seat)],
  };
  return [{ to: `ladder/${terms.rated.ladder}`, body }];
}

const none: readonly Effect[] = [];

/** Results and draws count. A match that was cut short, with no known outcome, does not. */
function isRated({ winner, reason, players }: Ended): boolean {
  const isKnown = winner !== null || reason === "played" || reason === "reported";
  return isKnown && players.length === 2;
}
