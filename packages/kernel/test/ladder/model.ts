import type { LadderCommand, LadderSettings, MatchStatus, RatingTerms, Reporter } from "@openseat/kernel";
import rate from "glicko2-lite";
import { hundredths } from "./fide-table.ts";

export interface ModelPlayer {
  readonly person: string;
  readonly given: number;
  isPresent: boolean;
  isBanned: boolean;
  rating: number;
  deviation: number;
  volatility: number;
  wins: number;
  draws: number;
  losses: number;
  version: number;
}

export interface ModelMatch {
  readonly players: readonly [ModelPlayer, ModelPlayer];
  readonly scores: readonly [number, number];
  readonly reporter: Reporter;
  status: MatchStatus;
  /** The earlier report of the opponent, with another score. */
  disputes: ModelMatch | undefined;
  lapsesAt: number;
  countedAt: number;
  /** Ratings that the two had before it. */
  before: number[];
}

/** How many may wait to be confirmed: in all, of one reporter, of one reporter against one opponent, for one opponent. */
export interface ModelLimits {
  readonly pendingMax: number;
  readonly pendingOfOneMax: number;
  readonly pendingOfPairMax: number;
  readonly pendingToOneMax: number;
}

type Command<Type extends LadderCommand["type"]> = Extract<LadderCommand, { type: Type }>;
type Asker = Command<"report">["asker"];

/**
 * A ladder in plain arrays. It keeps no shortcuts: whenever a match is voided all that ever counted is counted again
 * from the first match on, and whoever asks for standings has everyone sorted.
 */
export class LadderModel {
  readonly rating: RatingTerms;
  settings: LadderSettings;
  readonly creator: string;
  players: ModelPlayer[] = [];
  matches: ModelMatch[] = [];
  /** In the order in which they came to count. */
  counted: ModelMatch[] = [];
  imports: { digest: string; rows: Command<"import">["rows"]; at: number; isDone: boolean }[] = [];
  heard: Record<string, number> = {};
  readonly limits: ModelLimits;

  readonly madeAt: number;

  constructor({ rating, settings, creator }: Command<"create">, madeAt: number, limits: ModelLimits) {
    this.madeAt = madeAt;
    this.limits = limits;
    this.rating = rating;
    this.settings = settings;
    this.creator = creator;
  }

  /** When something has to happen by itself. */
  get due(): number | undefined {
    const times = this.matches.filter(({ status }) => status === "pending").map(({ lapsesAt }) => lapsesAt);
    for (const { at, isDone } of this.imports) if (!isDone) times.push(at + 1);
    // LM7: what nobody has used is over after a week.
    if (this.players.length === 0 && this.imports.length === 0) times.push(this.madeAt + 7 * 24 * 3_600_000);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The code of the refusal, or undefined when it was done. */
  do(command: LadderCommand, now: number): string | undefined {
    switch (command.type) {
      case "create":
        return "ladder.exists";
      case "configure":
        if (command.asker.role !== "operator" && command.asker.by !== this.creator) return "auth.forbidden";
        this.settings = { ...this.settings, ...command.changes };
        return undefined;
      case "enrol":
        return this.#enrol(command);
      case "leave":
        return this.#leave(command);
      case "ban":
      case "unban":
        return this.#ban(command);
      case "report":
        return this.#report(command, now);
      case "confirm":
      case "decline":
        return this.#answer(command, now);
      case "void":
        return this.#void(command, now);
      case "import":
        return this.#import(command, now);
      case "deliver":
        return this.#deliver(command, now);
      case "tick":
        return this.#tick(now);
    }
  }

  #isTrusted({ by, role }: Asker): boolean {
    return role !== "person" || by === this.creator;
  }

  named(person: string): ModelPlayer | undefined {
    return this.players.find((player) => player.person === person);
  }

  #enrol({ person, rating, asker }: Command<"enrol">): string | undefined {
    const isTrusted = this.#isTrusted(asker);
    if (!isTrusted && (asker.by !== person || rating !== undefined)) return "auth.forbidden";
    if (this.named(person)?.isBanned) return "player.banned";
    if (this.named(person)?.isPresent) return "player.exists";
    if (!isTrusted && !this.settings.open) return "ladder.closed";
    if (rating !== undefined && rating < this.rating.floor) return "input.invalid";
    this.#present(person, rating);
    return undefined;
  }

  /** Whoever is called so, in the ladder from now on at least. */
  #present(person: string, given = this.rating.start): ModelPlayer {
    let player = this.named(person);
    if (!player) {
      const { deviation, volatility } = this.rating;
      const nothing = { wins: 0, draws: 0, losses: 0, version: 0 };
      player = {
        person,
        given,
        isPresent: true,
        isBanned: false,
        rating: given,
        deviation,
        volatility,
        ...nothing,
      };
      this.players.push(player);
    }
    player.isPresent = true;
    return player;
  }

  #leave({ person, asker }: Command<"leave">): string | undefined {
    if (asker.by !== person && !this.#isTrusted(asker)) return "auth.forbidden";
    const player = this.named(person);
    if (!player?.isPresent) return asker.by === person ? "player.missing" : "player.not-found";
    player.isPresent = false;
    return undefined;
  }

  #ban({ type, person, asker }: Command<"ban" | "unban">): string | undefined {
    if (!this.#isTrusted(asker)) return "auth.forbidden";
    const player = this.named(person);
    if (!player) return "player.not-found";
    if (player.isBanned === (type === "ban")) return type === "ban" ? "player.banned" : "player.not-banned";
    player.isBanned = type === "ban";
    if (type === "unban") return undefined;
    player.isPresent = false;
    for (const match of this.matches)
      if (match.status === "pending" && match.players.includes(player)) match.status = "lapsed";
    return undefined;
  }

  #report({ result, asker }: Command<"report">, now: number): string | undefined {
    const [first, second] = result.players;
    if (first === second) return "player.self";
    const [a, b] = [this.named(first), this.named(second)];
    const unfit = [a, b].find((player) => !player?.isPresent);
    if (!a?.isPresent || !b?.isPresent) return unfit?.isBanned ? "player.banned" : "player.not-found";
    if (asker.role === "person" && asker.by !== first && asker.by !== second) return "auth.forbidden";
    const own = asker.by === first ? "first" : "second";
    if (asker.role === "person") {
      const [me, other] = own === "first" ? [a, b] : [b, a];
      const theirs = this.#waiting.filter((match) => reporterOf(match) === other && opponentOf(match) === me);
      const made = new Map([
        [a, result.scores[0]],
        [b, result.scores[1]],
      ]);
      const same = theirs.find(({ players, scores }) =>
        players.every((player, which) => made.get(player) === scores[which]),
      );
      if (same) {
        this.#confirm(same, now);
        return undefined;
      }
      const disputed = theirs.find((match) => !this.#disputeOf(match));
      if (this.settings.confirm || theirs.length > 0)
        return this.#wait(own, [a, b], result.scores, { now, disputed });
    }
    this.#count(this.#newMatch([a, b], result.scores, asker.role === "person" ? own : asker.role), now);
    return undefined;
  }

  /** LD9, LM6: it waits to be confirmed; of too many, the oldest of whoever has reported most does not any more. */
  #wait(
    reporter: "first" | "second",
    players: ModelMatch["players"],
    scores: ModelMatch["scores"],
    { now, disputed }: { now: number; disputed: ModelMatch | undefined },
  ): string | undefined {
    const { pendingMax, pendingOfOneMax, pendingOfPairMax, pendingToOneMax } = this.limits;
    const [by, of] = reporter === "first" ? players : [players[1], players[0]];
    const waiting = this.#waiting;
    const own = waiting.filter((match) => reporterOf(match) === by);
    if (own.length >= pendingOfOneMax) return "limit.pending";
    if (own.filter((match) => opponentOf(match) === of).length >= pendingOfPairMax) return "limit.pending";
    const asked = waiting.filter((match) => opponentOf(match) === of);
    if (asked.length >= pendingToOneMax) oldestOfHeaviest(asked).status = "lapsed";
    else if (waiting.length >= pendingMax) oldestOfHeaviest(waiting).status = "lapsed";
    const match = this.#newMatch(players, scores, reporter);
    match.lapsesAt = now + this.settings.confirmWindowMs;
    match.disputes = disputed;
    return undefined;
  }

  get #waiting(): ModelMatch[] {
    return this.matches.filter(({ status }) => status === "pending");
  }

  /** The other report of the same match, if both wait. */
  #disputeOf(match: ModelMatch): ModelMatch | undefined {
    return this.#waiting.find((other) => other.disputes === match || match.disputes === other);
  }

  #confirm(match: ModelMatch, now: number): void {
    const other = this.#disputeOf(match);
    this.#count(match, now);
    if (other) other.status = "declined";
  }

  #newMatch(players: ModelMatch["players"], scores: ModelMatch["scores"], reporter: Reporter): ModelMatch {
    const match = {
      players,
      scores,
      reporter,
      status: "pending" as const,
      disputes: undefined,
      lapsesAt: 0,
      countedAt: 0,
      before: [],
    };
    this.matches.push(match);
    return match;
  }

  #answer({ type, match: number, by }: Command<"confirm" | "decline">, now: number): string | undefined {
    const match = this.matches[number - 1];
    if (!match) return "match.not-found";
    if (match.status !== "pending") return `match.${match.status}`;
    if (match.players[match.reporter === "first" ? 1 : 0].person !== by) return "auth.forbidden";
    if (type === "confirm") this.#confirm(match, now);
    else match.status = "declined";
    return undefined;
  }

  #void({ match: number, asker }: Command<"void">, now: number): string | undefined {
    const match = this.matches[number - 1];
    if (!match) return "match.not-found";
    if (match.status !== "pending" && match.status !== "counted") return `match.${match.status}`;
    const reporters = { first: match.players[0].person, second: match.players[1].person } as Record<
      string,
      string
    >;
    const isTheirs =
      asker.role === "person" ? reporters[match.reporter] === asker.by : match.reporter === asker.role;
    const isMaker = asker.by === this.creator;
    if (asker.role !== "operator" && !isMaker && !isTheirs) return "auth.forbidden";
    if (match.status === "counted") {
      const isLate = now > match.countedAt + this.settings.undoWindowMs;
      if (isLate && asker.role !== "operator" && !isMaker) return "undo.over";
      match.status = "voided";
      this.#countAllAgain(match);
    }
    match.status = "voided";
    return undefined;
  }

  #import({ digest, rows, asker }: Command<"import">, now: number): string | undefined {
    if (!this.#isTrusted(asker)) return "auth.forbidden";
    if (this.imports.some((each) => each.digest === digest)) return "import.exists";
    if (this.imports.some(({ isDone }) => !isDone)) return "import.running";
    this.imports.push({ digest, rows, at: now, isDone: false });
    return undefined;
  }

  #deliver({ from, deliveries }: Command<"deliver">, now: number): string | undefined {
    const fresh = deliveries.filter(({ version }) => version > (this.heard[from] ?? 0));
    if (fresh.length === 0) return "delivery.repeated";
    for (const delivery of fresh) {
      if (!("players" in delivery)) continue;
      const { players, scores, version } = delivery;
      this.heard[from] = version;
      if (players.some((person) => this.named(person)?.isBanned)) continue;
      const [first, second] = players.map((person) => this.#present(person));
      this.#count(this.#newMatch([first, second], scores, "source"), now);
    }
    return undefined;
  }

  #tick(now: number): undefined {
    for (const match of this.matches)
      if (match.status === "pending" && match.lapsesAt <= now) match.status = "lapsed";
    for (const file of this.imports.filter(({ isDone }) => !isDone)) {
      for (const { players, scores } of file.rows) {
        // What is past brings nobody back who has left.
        const [first, second] = players.map((person) => this.named(person) ?? this.#present(person));
        this.#count(this.#newMatch([first, second], scores, "import"), now);
      }
      file.isDone = true;
      file.at = now;
    }
  }

  #count(match: ModelMatch, now: number): void {
    match.status = "counted";
    match.countedAt = now;
    this.counted.push(match);
    this.#play(match);
    for (const player of match.players) player.version++;
  }

  /** LD8: everyone begins anew, and all matches are played again in their order, but for those that are void. */
  #countAllAgain(voided: ModelMatch): void {
    for (const player of this.players) {
      const { deviation, volatility } = this.rating;
      Object.assign(player, { rating: player.given, deviation, volatility, wins: 0, draws: 0, losses: 0 });
    }
    const others = new Set(voided.players);
    const from = this.counted.indexOf(voided);
    for (const [index, match] of this.counted.entries()) {
      if (match.status === "voided") continue;
      this.#play(match);
      if (index > from && match.players.some((player) => others.has(player)))
        for (const player of match.players) others.add(player);
    }
    for (const player of others) player.version++;
  }

  #play(match: ModelMatch): void {
    const [a, b] = match.players;
    const [own, other] = match.scores;
    match.before = [a.rating, b.rating];
    const points = own === other ? 0.5 : Number(own > other);
    if (this.rating.system === "elo") this.#playElo(a, b, points);
    else this.#playGlicko2(a, b, points);
    for (const [player, made] of [
      [a, points],
      [b, 1 - points],
    ] as const) {
      if (made === 1) player.wins++;
      else if (made === 0) player.losses++;
      else player.draws++;
    }
  }

  #playElo(a: ModelPlayer, b: ModelPlayer, points: number): void {
    const surplus = points - this.#chanceOf(a, b);
    const [winner, loser] = surplus > 0 ? [a, b] : [b, a];
    const gain = this.#kOf(winner) * Math.abs(surplus);
    // Nobody loses more than what they have above the floor.
    const loss = Math.min(
      this.#kOf(loser) * Math.abs(surplus),
      Math.max(0, loser.rating - this.rating.floor),
    );
    winner.rating += this.#kOf(winner) === this.#kOf(loser) ? Math.min(gain, loss) : gain;
    loser.rating -= loss;
  }

  #chanceOf(a: ModelPlayer, b: ModelPlayer): number {
    if (this.rating.curve === "logistic") return 1 / (1 + 10 ** ((b.rating - a.rating) / 400));
    const chance = hundredths[Math.min(800, Math.round(Math.abs(a.rating - b.rating)))];
    return (a.rating < b.rating ? 100 - chance : chance) / 100;
  }

  #kOf(player: ModelPlayer): number {
    const games = player.wins + player.draws + player.losses;
    return this.rating.k.findLast(({ from }) => from <= games)!.k;
  }

  #playGlicko2(a: ModelPlayer, b: ModelPlayer, points: number): void {
    const { tau, floor } = this.rating;
    const own = rate(a.rating, a.deviation, a.volatility, [[b.rating, b.deviation, points]], { tau });
    const other = rate(b.rating, b.deviation, b.volatility, [[a.rating, a.deviation, 1 - points]], { tau });
    for (const [player, { rating, rd, vol }] of [
      [a, own],
      [b, other],
    ] as const) {
      const least = Math.min(player.rating, floor);
      player.rating += Math.max(least, rating) - player.rating;
      player.deviation = rd;
      player.volatility = vol;
    }
  }

  /** By rating, the best first; of equals, whoever enrolled first. */
  get standings(): ModelPlayer[] {
    return this.players.filter(({ isPresent }) => isPresent).sort((a, b) => b.rating - a.rating);
  }

  rankOf(player: ModelPlayer): number | undefined {
    if (!player.isPresent) return undefined;
    return 1 + this.players.filter(({ isPresent, rating }) => isPresent && rating > player.rating).length;
  }

  isProvisional({ wins, draws, losses, deviation }: ModelPlayer): boolean {
    const { system, provisionalGames, provisionalDeviation } = this.rating;
    return system === "elo" ? wins + draws + losses < provisionalGames : deviation > provisionalDeviation;
  }
}

function reporterOf({ players, reporter }: ModelMatch): ModelPlayer {
  return players[reporter === "first" ? 0 : 1];
}

function opponentOf({ players, reporter }: ModelMatch): ModelPlayer {
  return players[reporter === "first" ? 1 : 0];
}

function oldestOfHeaviest(matches: readonly ModelMatch[]): ModelMatch {
  const weight = (match: ModelMatch) =>
    matches.filter((each) => reporterOf(each) === reporterOf(match)).length;
  const heaviest = Math.max(...matches.map(weight));
  return matches.find((match) => weight(match) === heaviest)!;
}
