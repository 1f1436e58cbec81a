import { isDeepStrictEqual } from "node:util";
import type { Both, LadderEvent } from "@openseat/kernel";
import type { Entry, Outgoing } from "@openseat/server";
import { type Ladder, playerCalled, takesDuels } from "../ladder/ladder.ts";
import { must } from "../rule.ts";

/** What the directory sends to a ladder. */
type LadderMessage =
  | { readonly named: readonly [string, string] }
  | { readonly gone: string }
  | { readonly players: Both<string>; readonly names: Both<string>; readonly scores: Both<number> };

/**
 * LD12: every message from the directory takes effect on the ladder once and in order: rated duels, new nicknames
 * of its players, and requests to be forgotten.
 */
export function checkReceived(
  before: Ladder,
  after: Ladder,
  { events, version }: Entry<LadderEvent>,
  items: readonly Outgoing[],
): void {
  const numberOf = (person: string) => playerCalled(after, person)?.number;
  const present = new Set(before.players.filter(({ leftAt }) => leftAt === null).map(({ person }) => person));
  // Players before the entry. A player who joins later in the same entry is not known yet.
  const known = new Set(before.players.map(({ person }) => person));
  const expected = items.flatMap((item): object[] => {
    const body = item.body as unknown as LadderMessage;
    const isStale = (person: string) => item.version < (before.registrations.get(person) ?? 0);
    if ("named" in body) {
      const [person, name] = body.named;
      return known.has(person) && !isStale(person)
        ? [{ type: "renamed", player: numberOf(person), name }]
        : [];
    }
    if ("gone" in body) {
      const { gone: person } = body;
      if (!known.has(person) || isStale(person)) return [];
      const renamed = { type: "renamed", player: numberOf(person), name: "forgotten" };
      return present.delete(person) ? [renamed, { type: "left", player: numberOf(person) }] : [renamed];
    }
    if (!takesDuels(before)) return [];
    // LD13: results of banned players do not count.
    if (body.players.some((person) => playerCalled(before, person)?.banned)) return [];
    const arrivals = body.players.flatMap((person, seat): object[] => {
      if (present.has(person)) return [];
      present.add(person);
      const player = numberOf(person);
      const name = body.names[seat];
      if (known.has(person)) return [{ type: "returned", player, name }];
      known.add(person);
      return [{ type: "enrolled", player, person, name, rating: before.terms.rating.start }];
    });
    const players = body.players.map(numberOf);
    const { scores } = body;
    const origin = `${item.from}#${item.version}`;
    return [...arrivals, { type: "counted", players, scores, reporter: "source", origin }];
  });
  const received = events.slice(0, -1).map((event) => {
    if (event.type !== "counted") return event;
    const { type, players, scores, reporter, origin } = event;
    return { type, players, scores, reporter, origin };
  });
  const words = `${JSON.stringify(received)} instead of ${JSON.stringify(expected)}`;
  must(isDeepStrictEqual(received, expected), "LD12", `version ${version} of a ladder received ${words}`);
}
