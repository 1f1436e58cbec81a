import type { Message, Typed, Wish } from "./chat-script.ts";

/** Somebody whom a message names, and what they were called then. */
export interface Called {
  readonly person: string;
  readonly name: string;
}

/** What is for the ladder to answer, with the people whom the names meant. */
export type Question =
  | { readonly type: "register" | "top" | "undo"; readonly asker: Called | undefined }
  | { readonly type: "rating" | "history"; readonly of: Called }
  | {
      readonly type: "match";
      readonly asker: Called;
      readonly players: readonly [Called, Called];
      readonly scores: readonly [number, number];
    };

/** The result of a duel that both wanted to count. */
export interface RatedDuel {
  readonly players: readonly [Called, Called];
  /** Who has won, of the two; undefined for a draw. */
  readonly winner: 0 | 1 | undefined;
}

/** What is said: a text is how it has to begin. */
export type Expected = string | RegExp;

export function fits(expected: Expected, said: string): boolean {
  return typeof expected === "string" ? said.startsWith(expected) : expected.test(said);
}

interface OpenDuel {
  readonly opener: string;
  readonly hand: Extract<Wish, { type: "throw" }>["hand"];
  readonly rated: boolean;
}

const beaten = { rock: "scissors", paper: "rock", scissors: "paper" } as const;

/** Names and duels, as they are to be when each message comes once: plain maps, and nothing of the server's. */
export class TalkModel {
  readonly #nicknames = new Map<string, { readonly shown: string; readonly same: string }>();
  readonly #owners = new Map<string, string>();
  readonly #duels = new Map<string, OpenDuel>();
  /** What each is told without having asked, in its order. */
  readonly told = new Map<string, Expected[]>();
  readonly rated: RatedDuel[] = [];
  ended = 0;

  nicknameOf(person: string): string | undefined {
    return this.#nicknames.get(person)?.shown;
  }

  /** Which name is whose: as many as there are people, or one would have two. */
  get owners(): ReadonlyMap<string, string> {
    return this.#owners;
  }

  get open(): number {
    return this.#duels.size;
  }

  tell(person: string, text: Expected): void {
    if (!this.#nicknames.has(person)) return;
    const said = this.told.get(person) ?? [];
    said.push(text);
    this.told.set(person, said);
  }

  /** What is to be said, or what the ladder is to be asked. */
  hear(person: string, { wish }: Message): Expected | Question {
    const name = this.nicknameOf(person);
    switch (wish.type) {
      case "nick":
        return this.#nick(person, wish.name);
      case "bad-name":
        return /^A nickname has 2 to 20 /;
      case "help":
        return name === undefined ? /^Hello! First choose/ : `You are ${name}.`;
      case "nonsense":
        return /^(I did not understand|There was nothing|Write )/;
      case "throw":
        return this.#throw(person, wish);
      case "games":
        return name === undefined ? nameless : this.#games(person);
      case "quit":
        return name === undefined ? /^There is nothing to forget/ : this.#quit(person, name);
      case "top":
        return { type: "top", asker: this.#called(person) };
      default:
        return this.#ask(person, wish);
    }
  }

  #called(person: string): Called | undefined {
    const name = this.nicknameOf(person);
    return name === undefined ? undefined : { person, name };
  }

  #named(typed: Typed | undefined, speaker: Called | undefined): Called | undefined {
    if (typed === undefined) return speaker;
    const owner = this.#owners.get(typed.same);
    return owner === undefined ? undefined : this.#called(owner);
  }

  #nick(person: string, { text, same }: Typed): Expected {
    const shown = text.normalize("NFC");
    const was = this.#nicknames.get(person);
    if (was?.shown === shown) return `You are ${shown} already.`;
    const owner = this.#owners.get(same);
    if (owner !== undefined && owner !== person) return `${shown} is taken.`;
    if (was) this.#owners.delete(was.same);
    this.#owners.set(same, person);
    this.#nicknames.set(person, { shown, same });
    return was ? `You are ${shown} now.` : `Hello, ${shown}!`;
  }

  #throw(person: string, { hand, at, rated }: Extract<Wish, { type: "throw" }>): Expected {
    const me = this.#called(person);
    if (me === undefined) return nameless;
    const waiting = at === undefined ? this.#waitingFor(person) : [];
    if (at === undefined && waiting.length !== 1) return /^At whom\?/;
    const other = at === undefined ? this.#called(waiting[0]) : this.#named(at, undefined);
    if (other === undefined) return /^Nobody is called /;
    if (other.person === person) return /^Nobody duels with themselves/;
    const pair = pairOf(person, other.person);
    const open = this.#duels.get(pair);
    if (open === undefined) {
      this.#duels.set(pair, { opener: person, hand, rated });
      this.tell(other.person, `${me.name} challenges you`);
      return `You threw. It is secret until ${other.name} throws too`;
    }
    if (open.opener === person) return `You have thrown already. It is for ${other.name} `;
    this.#duels.delete(pair);
    this.ended++;
    const isWon = beaten[hand] === open.hand;
    const isDraw = hand === open.hand;
    if (rated && open.rated)
      this.rated.push({ players: [other, me], winner: isDraw ? undefined : isWon ? 1 : 0 });
    const ends = (won: boolean, against: string) =>
      isDraw ? "a draw." : won ? "you win!" : `${against} wins.`;
    this.tell(other.person, `You threw ${open.hand}, ${me.name} threw ${hand}: ${ends(!isWon, me.name)}`);
    return `You threw ${hand}, ${other.name} threw ${open.hand}: ${ends(isWon, other.name)}`;
  }

  /** Who has thrown at this person and waits. */
  #waitingFor(person: string): string[] {
    return this.#openOf(person).flatMap(([other, { opener }]) => (opener === other ? [other] : []));
  }

  #openOf(person: string): [string, OpenDuel][] {
    return [...this.#duels].flatMap(([pair, duel]) => {
      const both = pair.split(" ");
      return both.includes(person) ? [[both[0] === person ? both[1] : both[0], duel]] : [];
    });
  }

  #games(person: string): Expected {
    const open = this.#openOf(person);
    const lines = open.slice(0, 10).map(([other]) => `${this.nicknameOf(other)}: .*\n?`);
    return open.length === 0 ? /^You have no open duels/ : new RegExp(`^${lines.join("")}`, "u");
  }

  #quit(person: string, name: string): Expected {
    for (const [other] of this.#openOf(person)) {
      this.#duels.delete(pairOf(person, other));
      this.tell(other, `${name} has left`);
    }
    this.#owners.delete(this.#nicknames.get(person)!.same);
    this.#nicknames.delete(person);
    return /^You are forgotten/;
  }

  #ask(
    person: string,
    wish: Extract<Wish, { type: "register" | "undo" | "rating" | "history" | "match" }>,
  ): Expected | Question {
    const asker = this.#called(person);
    const isLooking = (wish.type === "rating" || wish.type === "history") && wish.of !== undefined;
    if (asker === undefined && !isLooking) return nameless;
    switch (wish.type) {
      case "register":
      case "undo":
        return { type: wish.type, asker };
      case "match": {
        const [first, second] = wish.players.map((name) => this.#named(name, asker));
        if (first === undefined || second === undefined) return /^Nobody is called /;
        return { type: "match", asker: asker!, players: [first, second], scores: wish.scores };
      }
      default: {
        const of = this.#named(wish.of, asker);
        return of === undefined ? /^Nobody is called / : { type: wish.type, of };
      }
    }
  }
}

const nameless: Expected = /^You need a nickname first/;

function pairOf(one: string, other: string): string {
  return [one, other].sort().join(" ");
}
