import type { GameEvent, GameTerms } from "@openseat/kernel";
import type { GameChange } from "@openseat/protocol";
import type { Entry } from "../log/entry.ts";
import { gameAfter, participantId } from "./game-views.ts";

/** GM9: what an entry means to those who watch the game, in order. */
export function gameChanges(id: string, terms: GameTerms, entry: Entry<GameEvent>): GameChange[] {
  const changes: GameChange[] = [];
  for (const event of entry.events) {
    if (event.type === "created" || event.type === "ended") continue;
    const { ticket, person, seated, waiting } = event;
    const player = { participantId: participantId(id, ticket), userId: person };
    changes.push({ type: kindOf(event), player, ...counts(terms, seated, waiting) });
  }
  const after = gameAfter(id, terms, entry);
  if (changedStatus(terms, entry.events)) {
    const { status, currentPlayers, waiting } = after;
    changes.push({ type: "status-changed", status, ...counts(terms, currentPlayers, waiting) });
  }
  return changes;
}

function kindOf(event: Exclude<GameEvent, { type: "created" | "ended" }>): GameChange["type"] {
  if (event.type === "left") return "player-left";
  return event.type === "joined" && event.place === "waiting" ? "player-waiting" : "player-joined";
}

function counts(terms: GameTerms, seated: number, waiting: number) {
  return { currentPlayers: seated, maxPlayers: terms.seats, availableSlots: terms.seats - seated, waiting };
}

/** From the entry alone: whether the seats were all taken before it and after it, or it is the end. */
function changedStatus({ seats }: GameTerms, events: readonly GameEvent[]): boolean {
  let moved = 0;
  let seated = 0;
  for (const event of events) {
    if (event.type === "ended" || event.type === "created") return true;
    seated = event.seated;
    if (event.type === "admitted" || (event.type === "joined" && event.place === "active")) moved++;
    if (event.type === "left" && event.reason === "left") moved--;
  }
  return seated >= seats !== seated - moved >= seats;
}
