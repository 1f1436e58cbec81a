import { randomOf } from "./telegram-faults.ts";

/** Someone in the recorded conversation, by a number from 0. */
export type Who = number;

/** A name as it was typed, and which name that is: of those that differ only in case or normal form, one. */
export interface Typed {
  readonly text: string;
  readonly same: string;
}

type Hand = "rock" | "paper" | "scissors";

/** What somebody wants, told without the grammar that reads it from the text. */
export type Wish =
  | { readonly type: "nick"; readonly name: Typed }
  | {
      readonly type: "throw";
      readonly hand: Hand;
      readonly at: Typed | undefined;
      readonly rated: boolean;
    }
  | {
      readonly type: "match";
      readonly players: readonly [Typed | undefined, Typed];
      readonly scores: readonly [number, number];
    }
  | { readonly type: "rating" | "history"; readonly of: Typed | undefined }
  | { readonly type: "register" | "undo" }
  | { readonly type: "top" | "games" | "quit" | "help" | "bad-name" | "nonsense" };

export interface Message {
  readonly id: string;
  readonly by: Who;
  readonly text: string;
  readonly wish: Wish;
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
const hands: readonly Hand[] = ["rock", "paper", "scissors"];

/** How often each is wished for, of 100. */
const weights = {
  throw: 40,
  match: 16,
  register: 7,
  nick: 5,
  rating: 6,
  top: 4,
  history: 5,
  undo: 4,
  games: 4,
  quit: 2,
  nonsense: 4,
  "bad-name": 2,
  help: 1,
} as const;

/** Writes what people say to each other's names, which they may have by then or not. */
class Author {
  readonly #chance: () => number;
  readonly #people: number;
  /** Which name each was last heard to ask for, if nobody else has asked for it. */
  readonly #asked: (readonly string[] | undefined)[] = [];
  /** Who is to come back to the ladder. */
  readonly #hasQuit = new Set<Who>();
  /** Who threw last at each. */
  readonly #challengers: (Who | undefined)[] = [];

  constructor(chance: () => number, people: number) {
    this.#chance = chance;
    this.#people = people;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#chance() * from.length)];
  }

  #typed(row: readonly string[]): Typed {
    return { text: this.#pick(row), same: row[0] };
  }

  /** Mostly somebody's; else one that may be nobody's, or the speaker's own. */
  #nameOf(by: Who): Typed {
    const other = (by + 1 + Math.floor(this.#chance() * (this.#people - 1))) % this.#people;
    const row = this.#chance() < 0.85 ? this.#asked[other] : undefined;
    return this.#typed(row ?? this.#pick(names));
  }

  /** Often whoever has thrown at them. */
  #target(by: Who): Typed {
    const challenger = this.#challengers[by];
    this.#challengers[by] = undefined;
    const row = challenger === undefined ? undefined : this.#asked[challenger];
    const at = row !== undefined && this.#chance() < 0.8 ? this.#typed(row) : this.#nameOf(by);
    const other = this.#asked.findIndex((each) => each?.[0] === at.same);
    if (other >= 0 && other !== challenger) this.#challengers[other] = by;
    return at;
  }

  /** Mostly a name of one's own. */
  first(by: Who): Wish {
    return this.#nick(by, this.#chance() < 0.8 ? names[by % names.length] : undefined);
  }

  #nick(by: Who, row = this.#pick(names)): Wish {
    // Whoever cannot have it, and has no other, tries again soon.
    if (!this.#asked.includes(row)) this.#asked[by] = row;
    return { type: "nick", name: this.#typed(row) };
  }

  wish(by: Who): Wish {
    if (this.#asked[by] === undefined && this.#chance() < 0.6) return this.#nick(by);
    if (this.#hasQuit.has(by) && this.#chance() < 0.6) return this.#register(by);
    let rest = this.#chance() * 100;
    const type = (Object.keys(weights) as (keyof typeof weights)[]).find((each) => {
      rest -= weights[each];
      return rest < 0;
    })!;
    switch (type) {
      case "nick":
        return this.#nick(by);
      case "throw": {
        const at = this.#chance() < 0.9 ? this.#target(by) : undefined;
        return { type, hand: this.#pick(hands), at, rated: this.#chance() < 0.8 };
      }
      case "match": {
        const scores = [Math.floor(this.#chance() * 4), Math.floor(this.#chance() * 4)] as const;
        const first = this.#chance() < 0.8 ? undefined : this.#nameOf(by);
        return { type, players: [first, this.#nameOf(by)], scores };
      }
      case "rating":
      case "history":
        return { type, of: this.#chance() < 0.5 ? undefined : this.#nameOf(by) };
      case "quit":
        this.#asked[by] = undefined;
        this.#hasQuit.add(by);
        return { type };
      case "register":
        return this.#register(by);
      default:
        return { type };
    }
  }

  #register(by: Who): Wish {
    this.#hasQuit.delete(by);
    return { type: "register" };
  }

  /** As people write it. */
  text(wish: Wish): string {
    const at = (name: Typed) => `${this.#chance() < 0.8 ? "@" : ""}${name.text}`;
    const slash = this.#chance() < 0.3 ? "/" : "";
    switch (wish.type) {
      case "nick":
        return `${slash}${this.#pick(["nick", "Nick", "name"])} ${wish.name.text}`;
      case "bad-name":
        return `nick ${this.#pick(badNames)}`;
      case "nonsense":
        return this.#pick(nonsense);
      case "throw": {
        const words = [wish.hand, ...(wish.at ? [at(wish.at)] : []), ...(wish.rated ? ["rated"] : [])];
        return `${slash}${this.#pick(["throw", "THROW", "Throw  "])} ${words.join(" ")}`;
      }
      case "match": {
        const players = wish.players.filter((name) => name !== undefined).map(at);
        return `${slash}match ${players.join(" ")} ${wish.scores.join(this.#pick(["-", ":", " "]))}`;
      }
      case "rating":
      case "history":
        return `${slash}${wish.type}${wish.of ? ` ${at(wish.of)}` : ""}`;
      default:
        return `${slash}${wish.type}`;
    }
  }
}

/** A conversation of so many messages, the same for the same seed. Each begins with a name, and most join the ladder. */
export function scriptOf(seed: number, people: number, count: number): Message[] {
  const chance = randomOf(seed);
  const author = new Author(chance, people);
  return Array.from({ length: count }, (_, index) => {
    const by = index < 2 * people ? index % people : Math.floor(chance() * people);
    const isJoining = index >= people && index < 2 * people && chance() < 0.75;
    const wish: Wish = index < people ? author.first(by) : isJoining ? { type: "register" } : author.wish(by);
    const deliveries = 1 + Math.floor(chance() * 5);
    return { id: `m-${index + 1}`, by, text: author.text(wish), wish, deliveries };
  });
}
