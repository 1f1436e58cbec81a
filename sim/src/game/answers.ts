import type { GameCommand, GameEvent, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { type Glance, isLive, type Obstacle, obstacle, type Specification } from "../specification.ts";
import { dueOf, fold, type Game, seatedIn, statusOfGame } from "./model.ts";
import type { View, ViewedPlace } from "./view.ts";

export const gameSpecification: Specification<Game, GameCommand, GameEvent> = {
  fold,
  due: dueOf,
  dueRule: "RM7",
  listing: listingOf,
  refusal: refusalOf,
  refusalByClock,
  refusalRule: () => "GM2",
  asksTheSame,
  view: viewOfGame,
  viewRule: "GM5",
};

/** The specification's answer to a command: a refusal, or undefined for "done". */
function refusalOf(game: Game | undefined, by: string, command: GameCommand): Obstacle | undefined {
  if (command.type === "create") return game && obstacle({ code: "room.exists" });
  if (!game) return obstacle({ code: "room.not-found" });
  switch (command.type) {
    case "join":
      return obstaclesFor(game, command.person)[0];
    case "leave":
      if (game.ended) return obstacle({ code: "room.ended" });
      return placeIn(game, command.person) ? undefined : obstacle({ code: "place.missing" });
    case "end":
      if (by !== game.terms.creator && !command.asOperator) return obstacle({ code: "auth.forbidden" });
      return game.ended ? obstacle({ code: "room.ended" }) : undefined;
    case "remove":
      if (by !== game.terms.creator && !command.asOperator) return obstacle({ code: "auth.forbidden" });
      if (game.ended) return obstacle({ code: "room.ended" });
      return placeIn(game, command.person) ? undefined : obstacle({ code: "place.missing" });
    default:
      return undefined;
  }
}

/** A clock that was set back may have been ahead when the command was decided. */
function refusalByClock(command: GameCommand, latestClock: Millis): Obstacle | undefined {
  const isInPast = command.type === "create" && command.endsAt !== null && command.endsAt <= latestClock;
  return isInPast ? obstacle({ code: "room.end-in-past", data: { field: "endTime" } }) : undefined;
}

/** ID2: whether the command asks for what the entry did. */
function asksTheSame(command: GameCommand, { events: [first], command: words }: Entry<GameEvent>): boolean {
  switch (command.type) {
    case "create": {
      if (first.type !== "created") return false;
      const { title, seats, waitlist, endsAt, heartbeatTimeoutMs } = command;
      return (
        heartbeatTimeoutMs === first.heartbeatTimeoutMs &&
        title === first.title &&
        seats === first.seats &&
        waitlist === first.waitlist &&
        endsAt === first.endsAt
      );
    }
    case "join":
      return first.type === "joined";
    case "leave":
      return words === "leave";
    case "remove":
      return words === `remove ${command.person}`;
    case "expire":
      return false;
    case "end":
      return first.type === "ended" && first.reason === "ended_by_hand";
    case "tick":
      return first.type === "ended" && first.reason !== "ended_by_hand";
  }
}

/** The game as the person sees it. */
function viewOfGame(game: Game, { by: person }: Glance): View {
  const mine = placeIn(game, person);
  return {
    terms: game.terms,
    status: statusOfGame(game),
    seated: seatedIn(game),
    waiting: game.line.length,
    places: game.places,
    mine: mine ?? null,
    position: mine ? positionIn(game, mine) : 0,
    obstacles: obstaclesFor(game, person),
  };
}

/** What the list of games shows of it. */
function listingOf(game: Game): { status: string; summary: Record<string, unknown> } {
  return {
    status: statusOfGame(game),
    // A lease is needed while a seated person must send heartbeats.
    summary: {
      ...game.terms,
      seated: seatedIn(game),
      waiting: game.line.length,
      leased: game.terms.heartbeatTimeoutMs !== undefined && game.places.some(isLive),
    },
  };
}

/** The live place; after the end, the seat held until the end. */
function placeIn(game: Game, person: string): ViewedPlace | undefined {
  return game.places.find(
    (place) => place.person === person && (isLive(place) || place.state === "completed"),
  );
}

function positionIn(game: Game, { ticket }: ViewedPlace): number {
  return game.line.indexOf(ticket) + 1;
}

/** GM2 and GM5: everything that keeps the person from joining, most important first. */
function obstaclesFor(game: Game, person: string): Obstacle[] {
  const obstacles: Obstacle[] = [];
  if (game.ended) obstacles.push(obstacle({ code: "room.ended" }));
  const place = placeIn(game, person);
  if (place) {
    const position = positionIn(game, place);
    const joinedAt = place.enteredAt;
    obstacles.push({
      code: "place.exists",
      data: position > 0 ? { joinedAt, yourPosition: position } : { joinedAt },
    });
  }
  const { seats, waitlist } = game.terms;
  const seated = seatedIn(game);
  if (seated >= seats && !waitlist) {
    const data = { currentPlayers: seated, maxPlayers: seats, availableSlots: seats - seated };
    obstacles.push({ code: "room.full", data });
  }
  return obstacles;
}
