import type { GameEvent, GameTerms } from "@openseat/kernel";
import type { GameChange } from "@openseat/protocol";
import type { Entry } from "../log/entry.ts";
import { gameAfter, nameShown, participantId } from "./game-views.ts";

/** GM9: the changes of an entry, in order. */
export function gameChanges(id: string, terms: GameTerms, entry: Entry<GameEvent>): GameChange[] {
  const changes: GameChange[] = [];
  for (const event of entry.events) {
    if (event.type === "created" || event.type === "ended") continue;
    const { ticket, person, name, seated, waiting } = event;
    const player = {
      participantId: participantId(id, ticket),
      userId: person,
      name: nameShown(name, person),
    };
    changes.push({ ...changeOf(event, player), ...counts(terms, seated, waiting) });
  }
  if (changedStatus(terms, entry.events)) {
    const { status, currentPlayers, waiting } = gameAfter(id, terms, entry);
    changes.push({ type: "status-changed", status, ...counts(terms, currentPlayers, waiting) });
  }
  return changes;
}

type Move = Exclude<GameEvent, { type: "created" | "ended" }>;

function changeOf<Player>(event: Move, player: Player) {
  if (event.type === "left") return { type: "player-left", player, reason: event.reason } as const;
  const isWaiting = event.type === "joined" && event.place === "waiting";
  return { type: isWaiting ? "player-waiting" : "player-joined", player } as const;
}

function counts(terms: GameTerms, seated: number, waiting: number) {
  return { currentPlayers: seated, maxPlayers: terms.seats, availableSlots: terms.seats - seated, waiting };
}

/** From the entry alone: whether the game became full, got a free seat, or ended. */
function changedStatus({ seats }: GameTerms, events: readonly GameEvent[]): boolean {
  const moves = events.filter((event) => event.type !== "created" && event.type !== "ended");
  if (moves.length < events.length) return true;
  const [first] = moves;
  return seatedBefore(first, seats) >= seats !== moves[moves.length - 1].seated >= seats;
}

function seatedBefore(first: Move, seats: number): number {
  if (first.type === "joined") return first.place === "active" ? first.seated - 1 : first.seated;
  // GM8: nobody waits while a seat is free, so the place that ended was a seat.
  return first.type === "left" && first.seated < seats ? first.seated + 1 : first.seated;
}
