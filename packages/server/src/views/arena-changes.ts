import { type ArenaEvent, type ArenaTerms, gameNamed } from "@openseat/kernel";
import type { ArenaChange } from "@openseat/protocol";
import type { Entry } from "../log/entry.ts";
import { arenaTermsView, matchResultView } from "./arena-views.ts";
import { iso } from "./times.ts";

/** AR11: the changes of an entry, in order. */
export function arenaChanges(id: string, terms: ArenaTerms, entry: Entry<ArenaEvent>): ArenaChange[] {
  return entry.events.flatMap((event) => changeOf(id, terms, event, entry) ?? []);
}

function changeOf(
  id: string,
  terms: ArenaTerms,
  event: ArenaEvent,
  { at, version }: Entry<ArenaEvent>,
): ArenaChange | undefined {
  const { labels } = terms;
  switch (event.type) {
    case "created":
      return undefined;
    case "configured":
      return { type: "settings-changed", arena: arenaTermsView(id, terms, event.settings) };
    case "entered": {
      const { type, person, waiting, behind } = event;
      return { type, userId: person, person, position: waiting - behind };
    }
    case "seated":
      return { type: "seated", userId: event.person, person: event.person, label: labels[event.seat] };
    case "left":
      return { type: "left", userId: event.person, person: event.person, reason: event.reason };
    case "started":
      return { type: "match-started", match: String(version), number: event.number };
    case "moved":
      return { type: "moved", label: labels[event.seat], move: isSecret(terms) ? null : event.move };
    case "ended":
      return { type: "match-ended", result: matchResultView(labels, event, at) };
    case "expired":
      return { type: "arena-ended", reason: event.reason };
    case "clock-restarted":
      return { type: "clock-restarted", moveBy: event.moveBy === null ? null : iso(event.moveBy) };
  }
}

/** MT3: everyone sees entries, so secret moves are omitted from them. */
function isSecret({ game }: ArenaTerms): boolean {
  return game !== null && gameNamed(game)?.isSecret === true;
}
