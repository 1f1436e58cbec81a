import { randomOf } from "./telegram-faults.ts";

/** Someone in the recorded conversation, by a number from 0. */
export type Who = number;

export interface Message {
  readonly id: string;
  readonly by: Who;
  readonly text: string;
  /** How often it is delivered, beside whenever an answer is lost. */
  readonly deliveries: number;
}

/** Each row is one name: nobody may have one spelling of it while somebody else has another. */
export const names: readonly (readonly string[])[] = [
  ["Ann", "ANN", "ann", "aNn"],
  ["Bob", "BOB", "bob"],
  ["Zoë", "ZOË", "Zoe\u0308"],
  ["Straße", "STRASSE", "strasse"],
  ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"],
  ["Max", "Ｍａｘ", "MAX"],
  ["Łukasz", "łukasz"],
  ["小明"],
  ["dan_1", "DAN_1"],
  ["eve-2", "Eve-2"],
  ["Ñandú", "n\u0303andu\u0301"],
  ["Fin", "ﬁn", "FIN"],
  ["Юля", "юЛЯ"],
  ["Gus", "gus"],
];
const badNames = ["x", "two words", "semi;colon", "a".repeat(21), "--", "<b>", "🙂🙂"];
const nonsense = [
  "",
  "  \t ",
  "hello?",
  "\u202e!",
  "throw",
  "match @a",
  "🙂",
  "r",
  "nick",
  "top5",
  "rock'n'roll",
];
const hands = ["rock", "paper", "scissors"];

/** A conversation of so many messages, the same for the same seed: mostly duels and matches of people who have names. */
export function scriptOf(seed: number, people: number, count: number): Message[] {
  const chance = randomOf(seed);
  const upTo = (max: number) => Math.floor(chance() * max);
  const pick = <T>(from: readonly T[]) => from[upTo(from.length)];
  /** Who threw last at each. */
  const challengers: (Who | undefined)[] = [];
  /** What each says next: whoever comes, or comes back, takes their name and joins the ladder. */
  const due = Array.from({ length: people }, (_, who) => [`nick ${pick(names[who])}`, "register"]);
  const at = (who: Who) => `${chance() < 0.8 ? "@" : ""}${pick(names[who])}`;
  const other = (by: Who) => (by + 1 + upTo(people - 1)) % people;
  const thrown = (by: Who) => {
    const challenger = challengers[by];
    const target = challenger ?? other(by);
    if (challenger === undefined) challengers[target] = by;
    challengers[by] = undefined;
    return `throw ${pick(hands)} ${at(target)}${chance() < 0.8 ? " rated" : ""}`;
  };
  const quit = (by: Who) => {
    due[by].push(`nick ${pick(names[by])}`, "register");
    return "quit";
  };
  /** How often each is said, of 100. */
  const sayings: readonly (readonly [number, (by: Who) => string])[] = [
    [42, thrown],
    [16, (by) => `match ${at(other(by))} ${upTo(4)}${pick(["-", ":", " "])}${upTo(4)}`],
    [5, () => `nick ${pick(pick(names))}`],
    [2, () => `nick ${pick(badNames)}`],
    [2, quit],
    [11, (by) => `${pick(["rating", "history"])} ${at(other(by))}`],
    [18, () => pick(["rating", "history", "top", "undo", "games", "help"])],
    [4, () => pick(nonsense)],
  ];
  const said = (by: Who) => {
    let rest = upTo(100);
    const [, text] = sayings.find(([weight]) => {
      rest -= weight;
      return rest < 0;
    })!;
    return `${chance() < 0.2 ? "/" : ""}${text(by)}`;
  };
  return Array.from({ length: count }, (_, index) => {
    const by = index < 2 * people ? index % people : upTo(people);
    return { id: `m-${index + 1}`, by, text: due[by].shift() ?? said(by), deliveries: 1 + upTo(5) };
  });
}
