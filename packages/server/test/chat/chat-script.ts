import { randomOf } from "./telegram-faults.ts";

/** A person in the script, by a number from 0. */
export type Who = number;

export interface Message {
  readonly id: string;
  readonly by: Who;
  readonly text: string;
  /** How often it is delivered, in addition to retries after a lost response. */
  readonly deliveries: number;
}

/** Each row is one name in several spellings. */
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

/** A script of this many messages, the same for the same seed: mostly duels and matches of people with names. */
export function scriptOf(seed: number, people: number, count: number): Message[] {
  const chance = randomOf(seed);
  const upTo = (max: number) => Math.floor(chance() * max);
  const pick = <T>(from: readonly T[]) => from[upTo(from.length)];
  /** The last challenger of each person. */
  const challengers: (Who | undefined)[] = [];
  /** The next messages of each person: a new or returning person takes their name and joins the ladder. */
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
  /** The frequency of each message, in percent. */
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
