import { isDeepStrictEqual } from "node:util";
import type { ArenaEvent, Both, LadderEvent } from "@openseat/kernel";
import type { Entry, Log, Outgoing, StreamName } from "@openseat/server";
import type { Arena } from "../arena/arena.ts";
import type { Ledger } from "../ledger.ts";
import { isKind, kindOf } from "../requests.ts";
import { must } from "../rule.ts";
import { type Ladder, playerCalled } from "./ladder.ts";
import { checkNewcomers } from "./matches.ts";

/** A ladder that is never created. Messages to it cannot arrive, and must not delay others. */
export const missingLadder = "nowhere";

/** An arena's match that must reach a ladder. */
interface Sent {
  readonly version: number;
  readonly players: Both<string>;
  readonly names: Both<string>;
  readonly scores: Both<number>;
}

/** LD12: matches sent from arenas to ladders arrive once, in order and unchanged. */
export class Deliveries {
  readonly #ledger: Ledger;
  /** Matches that arrived, per arena. */
  readonly #arrived = new Map<StreamName, number>();
  /** Repeated deliveries to a ladder. */
  repeated = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A server received these messages for delivery. */
  handedOut(items: readonly Outgoing[]): void {
    for (const { from, to, version } of items) {
      if (!isKind(kindOf(to))) continue;
      const receiver: Pick<Ladder, "sources"> | undefined = this.#ledger.history(to).rooms.at(-1);
      if ((receiver?.sources.get(from) ?? 0) >= version) this.repeated++;
    }
  }

  /** The entries of a ladder after version `before` have become durable. */
  written(stream: StreamName, before: number): void {
    if (kindOf(stream) !== "ladder") return;
    const { entries } = this.#ledger.history(stream);
    for (const entry of entries.slice(before) as Entry<LadderEvent>[])
      if (entry.command === "deliver") this.#arrive(stream, entry);
  }

  #arrive(ladder: StreamName, { events, version }: Entry<LadderEvent>): void {
    const { rooms } = this.#ledger.history(ladder);
    const { players, closed } = rooms[version] as Ladder;
    const before = rooms[version - 1] as Ladder;
    for (const event of events) {
      if (event.type === "received" && closed) this.#skipAll(ladder, event.from as StreamName, event.version);
      else if (event.type === "received") this.#skip(ladder, before, event.from as StreamName, event.version);
      if (event.type !== "counted") continue;
      const from = event.origin?.split("#")[0] as StreamName;
      // received.ts checks duels, together with everything else that the directory sends.
      if (kindOf(from) === "directory") continue;
      this.#skip(ladder, before, from, Number(event.origin!.split("#")[1]));
      const nth = this.#arrived.get(from) ?? 0;
      const next = this.#sentBy(from, ladder).at(nth);
      const expected = next && `${from}#${next.version}`;
      must(event.origin === expected, "LD12", `${event.origin} arrived at ${ladder} instead of ${expected}`);
      const arrivedMatch = [...event.players.map((player) => players[player - 1].person), ...event.scores];
      const isSame = isDeepStrictEqual(arrivedMatch, [...next!.players, ...next!.scores]);
      must(isSame, "LD12", `${event.origin} arrived at ${ladder} as ${arrivedMatch}`);
      checkNewcomers(events, event.match, next!);
      this.#arrived.set(from, nth + 1);
    }
  }

  /** RM8: after a ladder has ended, results arrive but do not count. */
  #skipAll(ladder: StreamName, from: StreamName, version: number): void {
    if (kindOf(from) !== "arena") return;
    this.#arrived.set(from, this.#sentBy(from, ladder).filter((sent) => sent.version <= version).length);
  }

  /** LD13: up to this version, results of banned players arrive but do not count. */
  #skip(ladder: StreamName, before: Ladder, from: StreamName, version: number): void {
    if (kindOf(from) !== "arena") return;
    const sent = this.#sentBy(from, ladder);
    let nth = this.#arrived.get(from) ?? 0;
    const isSkipped = ({ players }: Sent) => players.some((person) => playerCalled(before, person)?.banned);
    while (sent[nth] && sent[nth].version <= version && isSkipped(sent[nth])) nth++;
    this.#arrived.set(from, nth);
  }

  /** At the end, everything has arrived. */
  async checkAll(store: Log): Promise<void> {
    for (const from of this.#ledger.streams) {
      const arena = this.#ledger.history(from).rooms.at(-1) as Arena;
      if (kindOf(from) !== "arena" || !arena.terms.rated || arena.terms.rated.ladder === missingLadder)
        continue;
      const sent = this.#sentBy(from, `ladder/${arena.terms.rated.ladder}`).length;
      const arrived = this.#arrived.get(from) ?? 0;
      must(arrived === sent, "LD12", `${arrived} of the ${sent} matches of ${from} are on its ladder`);
    }
    const [waiting] = await store.outbox(0, 1);
    must(
      waiting === undefined,
      waiting && kindOf(waiting.to) !== "ladder" ? "CH7" : "LD12",
      `a message from ${waiting?.from} to ${waiting?.to} is still undelivered`,
    );
  }

  /** The matches of an arena that count on this ladder, according to the arena's own history. */
  #sentBy(from: StreamName, ladder: StreamName): Sent[] {
    const { rooms, entries } = this.#ledger.history(from);
    const arena = rooms.at(-1) as Arena | undefined;
    if (kindOf(from) !== "arena" || `ladder/${arena?.terms.rated?.ladder}` !== ladder) return [];
    return (entries as Entry<ArenaEvent>[]).flatMap(sentIn);
  }
}

/** A win or a draw counts; a match without a known result does not. */
function sentIn({ events, version }: Entry<ArenaEvent>): Sent[] {
  return events.flatMap((event) => {
    if (event.type !== "ended") return [];
    const { winner, reason, players } = event;
    const isKnown = winner !== null || reason === "played" || reason === "reported";
    if (!isKnown || players.length !== 2) return [];
    const both = <T>(of: (player: (typeof players)[number]) => T): Both<T> => [
      of(players[0]),
      of(players[1]),
    ];
    return [
      {
        version,
        players: both(({ person }) => person as string),
        names: both(({ name }) => name),
        scores: both(({ seat }) => Number(seat === winner)),
      },
    ];
  });
}
