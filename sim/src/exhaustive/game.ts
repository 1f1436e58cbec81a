import { type GameCommand, type GameEvent, type GameRoom, gameDecider, type Millis } from "@openseat/kernel";
import { gameSpecification } from "../game/answers.ts";
import type { Game } from "../game/model.ts";
import { viewOfRoom } from "../game/view.ts";
import { rowsIn } from "./key.ts";
import { epoch, people, type SmallWorld } from "./small-world.ts";

type SmallGame = SmallWorld<GameRoom, GameCommand, GameEvent, Game>;

const creator = "maker";

const asks: ReturnType<SmallGame["asks"]> = [
  ...people.flatMap((person) => [
    { by: person, command: { type: "join", person } } as const,
    { by: person, command: { type: "leave", person } } as const,
  ]),
  { by: creator, command: { type: "end", by: creator, asOperator: false } },
  { by: "operator", command: { type: "end", by: "operator", asOperator: true } },
  { by: "ann", command: { type: "end", by: "ann", asOperator: false } },
  ...people.map((person) => {
    return { by: creator, command: { type: "remove", person, by: creator, asOperator: false } } as const;
  }),
  { by: "ann", command: { type: "remove", person: people[1], by: "ann", asOperator: false } },
];

interface Terms {
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
}

function game(name: string, { seats, waitlist, endsAt }: Terms, decider = gameDecider): SmallGame {
  return {
    name,
    kind: "game",
    decider,
    specification: gameSpecification,
    create: { by: creator, command: { type: "create", title: "Go", seats, waitlist, endsAt, creator } },
    asks: () => asks,
    waitsMs: [],
    view: (room, _version, by) => viewOfRoom(room, { by }),
    viewers: people,
    essence(saved) {
      const { seated, endedAt } = saved.head;
      const places = rowsIn(saved).map(({ person, state }) => [person, state]);
      return [seated, endedAt !== null, places, [...saved.columns.line]];
    },
  };
}

export function smallGames(decider = gameDecider): readonly SmallGame[] {
  const endsAt = (epoch + 1_000) as Millis;
  return [
    game("a game with a waitlist and an end time", { seats: 2, waitlist: true, endsAt }, decider),
    game("a game without a waitlist", { seats: 2, waitlist: false, endsAt: null }, decider),
    game("a game with one seat and a waitlist", { seats: 1, waitlist: true, endsAt: null }, decider),
  ];
}
