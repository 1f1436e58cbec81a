import {
  type GameEvent,
  type GameRoom,
  type GameTerms,
  gameNotFound,
  type Listing,
  obstaclesToJoining,
  type PersonId,
  type Place,
  placeOf,
  positionOf,
  reasonAgainstJoining,
  statusFrom,
  statusOf,
} from "@openseat/kernel";
import type { CanJoin, Game, Joined, OwnPlace, Participant } from "@openseat/protocol";
import { friendlyName } from "@openseat/protocol/friendly-names";
import type { Entry } from "../log/entry.ts";
import { makerOf } from "./makers.ts";
import { iso } from "./times.ts";

interface Standing {
  readonly seated: number;
  readonly waiting: number;
  readonly ended: boolean;
}

function gameAt(id: string, terms: GameTerms, { seated, waiting, ended }: Standing): Game {
  return {
    id,
    title: terms.title,
    status: statusFrom(terms.seats, seated, ended),
    currentPlayers: seated,
    maxPlayers: terms.seats,
    availableSlots: terms.seats - seated,
    waitlist: terms.waitlist,
    waiting,
    endTime: terms.endsAt === null ? null : iso(terms.endsAt),
    heartbeatTimeoutSeconds: terms.heartbeatTimeoutMs === undefined ? null : terms.heartbeatTimeoutMs / 1000,
    createdBy: makerOf(terms),
    createdAt: iso(terms.createdAt),
  };
}

export function gameView(id: string, room: GameRoom): Game {
  const { terms, seated } = room;
  return gameAt(id, terms, { seated, waiting: room.line.length, ended: room.endedAt !== undefined });
}

/** The game right after an entry, from the entry and the terms, which never change. */
export function gameAfter(id: string, terms: GameTerms, entry: Entry<GameEvent>): Game {
  const last = entry.events[entry.events.length - 1];
  if (last.type === "created") return gameAt(id, terms, { seated: 0, waiting: 0, ended: false });
  return gameAt(id, terms, { seated: last.seated, waiting: last.waiting, ended: last.type === "ended" });
}

export function gameListed(id: string, { status, summary }: Listing): Game {
  const { seated, waiting, ...terms } = summary as unknown as GameTerms & { seated: number; waiting: number };
  return gameAt(id, terms, { seated, waiting, ended: status === "ENDED" });
}

export function participantId(game: string, ticket: number): string {
  return `${game}-${ticket}`;
}

const participantStatus = {
  waiting: "WAITING",
  admitted: "ACTIVE",
  active: "ACTIVE",
  completed: "COMPLETED",
  left: "LEFT",
  expired: "LEFT",
} as const;

export function participantView(
  game: string,
  { ticket, person, state, enteredAt, changedAt }: Place,
  name: string | undefined,
): Participant {
  return {
    id: participantId(game, ticket),
    userId: person,
    name: nameShown(name, person),
    joinedAt: iso(enteredAt),
    status: participantStatus[state],
    ...((state === "left" || state === "expired") && { leftAt: iso(changedAt) }),
  };
}

/** From the entry alone, so that a repeated key gets exactly the same response. */
export function joinedView(id: string, terms: GameTerms, entry: Entry<GameEvent>): Joined {
  const joined = entry.events[0];
  if (joined.type !== "joined") throw new Error("The entry of a join has no newcomer.");
  const { ticket, person, name, place, seated, waiting } = joined;
  const own = { ticket, person, state: place, enteredAt: entry.at, changedAt: entry.at };
  return {
    game: { ...gameAfter(id, terms, entry), yourPosition: place === "active" ? seated : waiting },
    participant: participantView(id, own, name),
  };
}

/** Undefined without a seat or a place in the line, and after the end. */
export function ownPlaceView(id: string, room: GameRoom, person: PersonId): OwnPlace | undefined {
  const place = room.endedAt === undefined ? room.roster.livePlace(person) : undefined;
  if (!place) return undefined;
  const position = positionOf(room, place.ticket);
  return {
    participant: participantView(id, place, room.names.of(place.ticket)),
    yourPosition: position === 0 ? null : position,
  };
}

/** Entries of older versions have no names. */
export function nameShown(name: string | undefined, person: PersonId): string {
  return name ?? friendlyName(person);
}

const canJoinNothing: CanJoin = {
  canJoin: false,
  reasons: [reasonAgainstJoining(gameNotFound)],
  codes: [gameNotFound.code],
  availableSlots: 0,
  isParticipant: false,
  isWaiting: false,
  yourPosition: null,
  wouldWait: false,
};

export function canJoinView(room: GameRoom | undefined, person: PersonId): CanJoin {
  if (!room) return canJoinNothing;
  const obstacles = obstaclesToJoining(room, person);
  const place = placeOf(room, person);
  return {
    canJoin: obstacles.length === 0,
    reasons: obstacles.map(reasonAgainstJoining),
    codes: obstacles.map(({ code }) => code),
    gameStatus: statusOf(room),
    availableSlots: room.terms.seats - room.seated,
    isParticipant: place !== undefined && place.state !== "waiting",
    isWaiting: place?.state === "waiting",
    yourPosition: place?.state === "waiting" ? positionOf(room, place.ticket) : null,
    wouldWait: obstacles.length === 0 && room.seated >= room.terms.seats,
  };
}
