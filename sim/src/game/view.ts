import {
  type GameRoom,
  type GameTerms,
  type Millis,
  obstaclesToJoining,
  type PersonId,
  type Place,
  type PlaceState,
  placeOf,
  placesAfter,
  positionOf,
  statusOf,
} from "@openseat/kernel";
import { type Glance, type Obstacle, obstacle } from "../specification.ts";

/** Everything that can be known about a game. Kernel rooms and model games are compared in this form. */
export interface View {
  readonly terms: GameTerms;
  readonly status: string;
  readonly seated: number;
  readonly waiting: number;
  readonly places: readonly ViewedPlace[];
  /** The viewer's place, and their position while they wait. */
  readonly mine: ViewedPlace | null;
  readonly position: number;
  readonly obstacles: readonly Obstacle[];
}

export interface ViewedPlace {
  readonly ticket: number;
  readonly person: string;
  readonly name: string | null;
  readonly state: PlaceState;
  readonly enteredAt: Millis;
  readonly changedAt: Millis;
}

const placesMax = 100_000;

function named({ names }: GameRoom, place: Place): ViewedPlace {
  return { ...place, name: names.of(place.ticket) ?? null };
}

/** The view according to the kernel's public queries. */
export function viewOfRoom(room: GameRoom, { by: person }: Glance): View {
  const mine = placeOf(room, person as PersonId);
  return {
    terms: room.terms,
    status: statusOf(room),
    seated: room.seated,
    waiting: room.line.length,
    places: placesAfter(room, 0, placesMax).map((place) => named(room, place)),
    mine: mine ? named(room, mine) : null,
    position: mine ? positionOf(room, mine.ticket) : 0,
    obstacles: obstaclesToJoining(room, person as PersonId).map(obstacle),
  };
}
