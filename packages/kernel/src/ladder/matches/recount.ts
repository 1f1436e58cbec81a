import type { Recount } from "../events.ts";
import type { Contender, Rating } from "../ratings/rating.ts";
import { rateMatch } from "../ratings/systems.ts";
import type { CountOrder, Ladder, PlayerNumber } from "../state.ts";
import { after } from "./tally.ts";

/** LD8: the new ratings of the matches after the one at `index`, as if that match had not been played. */
export function recountWithout(ladder: Ladder, index: number): Recount {
  const { counted, terms } = ladder;
  const turns: CountOrder[] = [];
  const rerated: PlayerNumber[] = [];
  const values = { before: [], change: [], deviation: [], volatility: [] } as Record<string, number[]>;
  const games = gamesBefore(ladder, index);
  const others = otherwise(ladder, index);
  for (let later = index + 1; later < counted.size; later++) {
    const players = counted.playersOf(later);
    if (counted.isVoided(later)) continue;
    if (others.has(players[0]) || others.has(players[1])) {
      const { before: then, score } = counted.get(later);
      const contender = (which: 0 | 1): Contender => ({
        ...(others.get(players[which]) ?? then[which]),
        games: games.get(players[which])!,
      });
      const before = [contender(0), contender(1)] as const;
      const rerating = rateMatch(terms.rating, before, score);
      others.set(players[0], after(before, rerating, 0));
      others.set(players[1], after(before, rerating, 1));
      turns.push(counted.orderAt(later));
      rerated.push(...players);
      values.before.push(before[0].rating, before[1].rating);
      values.change.push(...rerating.change);
      values.deviation.push(...rerating.deviation);
      values.volatility.push(...rerating.volatility);
    }
    for (const player of players) games.set(player, games.get(player)! + 1);
  }
  const { before, change, deviation, volatility } = values;
  return {
    turns,
    players: rerated,
    before,
    change,
    ...(terms.rating.system === "glicko2" && { deviation, volatility }),
  };
}

/** How many later matches change when the one at `index` is voided. Stops counting at `max + 1`. */
export function dependentsOf({ counted }: Ladder, index: number, max: number): number {
  const touched = new Set(counted.playersOf(index));
  let dependents = 0;
  for (let later = index + 1; later < counted.size && dependents <= max; later++) {
    const players = counted.playersOf(later);
    if (counted.isVoided(later) || !players.some((player) => touched.has(player))) continue;
    for (const player of players) touched.add(player);
    dependents++;
  }
  return dependents;
}

/** Players whose values differ from here on, beginning with the two of the voided match. */
export function otherwise({ counted }: Ladder, index: number): Map<PlayerNumber, Rating> {
  const { players, before } = counted.get(index);
  return new Map([
    [players[0], before[0]],
    [players[1], before[1]],
  ]);
}

/** How many matches each player had played by then, because K may depend on it. */
function gamesBefore({ counted, players }: Ladder, index: number): Map<PlayerNumber, number> {
  const games = new Map<PlayerNumber, number>();
  for (let later = index; later < counted.size; later++) {
    if (counted.isVoided(later)) continue;
    for (const player of counted.playersOf(later))
      games.set(player, (games.get(player) ?? players.gamesOf(player)) - 1);
  }
  return games;
}
