import { eloChange } from "../ladders/club.ts";
import type { Called, Expected, Question, RatedDuel } from "./chat-model.ts";

interface Player {
  rating: number;
  isThere: boolean;
  won: number;
  drawn: number;
  lost: number;
}

interface Match {
  readonly players: readonly [string, string];
  readonly scores: readonly [number, number];
  /** Undefined for a duel. */
  readonly reporter: string | undefined;
  isVoid: boolean;
}

/** A ladder as it is to be when each match counts once: all ratings are worked out anew whenever one is voided. */
export class LadderModel {
  readonly players = new Map<string, Player>();
  readonly matches: Match[] = [];

  /** Somebody is on it; a newcomer, or as they were. */
  enrol(person: string): void {
    const known = this.players.get(person);
    if (known) known.isThere = true;
    else this.players.set(person, { rating: 1000, isThere: true, won: 0, drawn: 0, lost: 0 });
  }

  leave(person: string): void {
    this.players.get(person)!.isThere = false;
  }

  /** A duel counts, and whoever was not there is. */
  duel({ players: [first, second], winner }: RatedDuel): void {
    for (const { person } of [first, second]) this.enrol(person);
    this.#count({
      players: [first.person, second.person],
      scores: [winner === 0 ? 1 : 0, winner === 1 ? 1 : 0],
      reporter: undefined,
      isVoid: false,
    });
  }

  /** What is to be said, and what the other player hears of it. */
  answer(question: Question): {
    readonly reply: Expected;
    readonly tells?: { readonly person: string; readonly text: Expected };
  } {
    switch (question.type) {
      case "register":
        return { reply: this.#register(question.asker!.person) };
      case "match":
        return this.#report(question);
      case "undo":
        return this.#undo(question.asker!);
      case "top":
        return { reply: this.#top() };
      case "rating":
        return { reply: this.#rating(question.of) };
      case "history":
        return { reply: this.#history(question.of) };
    }
  }

  #register(person: string): Expected {
    const known = this.players.get(person);
    if (known?.isThere) return /^You are a player here already/;
    this.enrol(person);
    const { rating } = this.players.get(person)!;
    return new RegExp(`^You are on the ladder .* with ${Math.round(rating)} points\\.`);
  }

  #report({ asker, players, scores }: Extract<Question, { type: "match" }>) {
    const [first, second] = players;
    if (first.person === second.person) return { reply: /^Nobody plays against themselves/ };
    const missing = players.find(({ person }) => !this.players.get(person)?.isThere);
    if (missing) return { reply: `${missing.name} is not on this ladder yet` };
    const other = players.find(({ person }) => person !== asker.person)!;
    if (players.every(({ person }) => person !== asker.person))
      return { reply: /^Only one of the two who played/ };
    const before = players.map(({ person }) => this.players.get(person)!.rating);
    const both = [first.person, second.person] as const;
    const number = this.#count({ players: both, scores, reporter: asker.person, isVoid: false });
    const news = players.map(({ person, name }, index) => {
      const { rating } = this.players.get(person)!;
      const by = Math.round(rating - before[index]);
      return `${name} ${Math.round(rating)} (${by < 0 ? "-" : "+"}${Math.abs(by)})`;
    });
    const played = `Match ${number}: ${first.name} ${scores[0]}, ${second.name} ${scores[1]}. ${news.join(", ")}.`;
    const text = `${asker.name} has reported a match. ${played}`;
    return { reply: played, tells: { person: other.person, text } };
  }

  #count(match: Match): number {
    this.matches.push(match);
    this.#apply(match);
    return this.matches.length;
  }

  #apply({ players, scores }: Match): void {
    const [a, b] = players.map((person) => this.players.get(person)!);
    const change = eloChange([a.rating, b.rating], scores);
    a.rating += change;
    b.rating -= change;
    const winner = scores[0] === scores[1] ? undefined : scores[0] > scores[1] ? a : b;
    for (const player of [a, b])
      player[winner === undefined ? "drawn" : winner === player ? "won" : "lost"]++;
  }

  #undo({ person, name }: Called) {
    const index = this.matches.findLastIndex(({ reporter, isVoid }) => reporter === person && !isVoid);
    if (index < 0) return { reply: /^There is no match of yours to take back/ };
    const match = this.matches[index];
    match.isVoid = true;
    for (const player of this.players.values())
      Object.assign(player, { rating: 1000, won: 0, drawn: 0, lost: 0 });
    for (const each of this.matches) if (!each.isVoid) this.#apply(each);
    const other = match.players.find((each) => each !== person)!;
    return {
      reply: `Match ${index + 1} is void`,
      tells: { person: other, text: `${name} has taken back match ${index + 1}.` },
    };
  }

  #top(): Expected {
    const ratings = [...this.players.values()].filter(({ isThere }) => isThere).map(({ rating }) => rating);
    if (ratings.length === 0) return /^Nobody is on the ladder yet/;
    const best = ratings.sort((a, b) => b - a).slice(0, 10);
    return new RegExp(`^${best.map((rating) => `\\d+\\. \\S+ ${Math.round(rating)}`).join("\n")}$`);
  }

  #rating({ person, name }: Called): Expected {
    const player = this.players.get(person);
    if (player === undefined) return `${name} is not on this ladder yet`;
    const { rating, isThere, won, drawn, lost } = player;
    const there = [...this.players.values()].filter((each) => each.isThere);
    // Two who came to the same by other ways may differ in the last digit, or not.
    const ahead = there.filter((each) => each.rating > rating + 1e-9).length;
    const level = there.filter((each) => Math.abs(each.rating - rating) <= 1e-9).length;
    const ranks = Array.from({ length: level }, (_, index) => ahead + index + 1).join("|");
    const place = isThere ? `is number (${ranks}) of ${there.length}` : "has left the ladder";
    const counts = `${won} won, ${drawn} drawn, ${lost} lost\\.`;
    return new RegExp(`^${name} ${place}, with ${Math.round(rating)} points: ${counts}$`, "u");
  }

  #history({ person, name }: Called): Expected {
    if (!this.players.has(person)) return `${name} is not on this ladder yet`;
    const lines = this.matches.flatMap(({ players, scores, isVoid }, index) => {
      const seat = players.indexOf(person);
      if (seat < 0 || isVoid) return [];
      const [own, others] = seat === 0 ? scores : [scores[1], scores[0]];
      const ended = own === others ? "drew with" : own > others ? "beat" : "lost to";
      return [`Match ${index + 1}: ${name} ${ended} \\S+ ${own}-${others} \\([+-]\\d+\\)`];
    });
    if (lines.length === 0) return new RegExp(`^${name} has no (recent )?matches`, "u");
    return new RegExp(`^${lines.reverse().slice(0, 5).join("\n")}$`, "u");
  }
}
