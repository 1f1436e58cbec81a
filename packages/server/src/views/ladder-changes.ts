import type { Ladder, LadderEvent } from "@openseat/kernel";
import type { LadderChange, LadderMatchNews } from "@openseat/protocol";
import type { Lens } from "../feed/watch.ts";
import { disputeIn, ladderView, type MatchEvent, resultOf } from "./ladder-views.ts";
import { type ReadNow, sharedLens } from "./shared-lens.ts";
import { iso } from "./times.ts";

/** A change is shown from its entry alone, with players by number. */
export function ladderLens(id: string, read: ReadNow<Ladder>): Lens {
  return sharedLens<Ladder, LadderEvent>(
    read,
    (ladder) => ({ ladder: ladderView(id, ladder) }),
    ({ at, events }) => ({
      ...{ ladder: id, at: iso(at) },
      changes: events.flatMap((event) => changeOf(event) ?? []),
    }),
  );
}

function changeOf(event: LadderEvent): LadderChange | undefined {
  switch (event.type) {
    case "enrolled": {
      const { player: number, person: userId, name, rating } = event;
      return { type: "player-joined", player: { number, userId, name, rating } };
    }
    case "returned":
    case "left":
    case "banned":
    case "unbanned":
      return { type: `player-${event.type}`, player: { number: event.player } };
    case "reported":
    case "counted":
      return { type: `match-${event.type}`, match: news(event) };
    case "voided": {
      const recounted = event.recount?.turns.length ?? 0;
      return { type: "match-voided", match: { id: String(event.match) }, recounted };
    }
    case "declined":
    case "lapsed":
      return { type: `match-${event.type}`, match: { id: String(event.match) } };
    case "import-begun":
      return { type: "import-begun", import: event.digest, rows: event.rows.length };
    case "imported":
      return { type: "import-progress", import: event.digest, done: event.done };
    case "configured":
      return { type: "settings-changed" };
    case "expired":
      return { type: "ladder-ended", reason: event.reason };
    case "renamed":
      return { type: "player-renamed", player: { number: event.player, name: event.name } };
    case "created":
    case "received":
    case "answered":
      return undefined;
  }
}

function news(event: MatchEvent): LadderMatchNews {
  return {
    id: String(event.match),
    dispute: disputeIn(event),
    players: event.players.map((number, which) => ({ number, ...resultOf(event, which) })),
  };
}
