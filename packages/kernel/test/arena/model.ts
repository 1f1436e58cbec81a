import {
  type AnyGame,
  type ArenaCommand,
  type ArenaSettings,
  catalogue,
  type Lane,
  type TicketNumber,
} from "@openseat/kernel";
import { Chance, seedOf } from "../../src/match/chance.ts";
import type { Create } from "./stage.ts";

interface Person {
  readonly person: string;
  readonly ticket: TicketNumber;
  readonly lane: number;
  readonly enteredAt: number;
  /** AR9: matches in a row lost by the clock. */
  late: number;
  /** LN4: has waited longer than the patience once, or stood ahead of someone who had. */
  settled: boolean;
}

interface Player extends Person {
  /** Of two players the one with the smaller has held a seat longer. */
  readonly seatedAs: number;
  streak: number;
}

interface ModelMatch {
  readonly id: number;
  readonly number: number;
  /** Of its game; undefined for a game played elsewhere. */
  board: unknown;
  moves: number;
  /** MT5: the first is 1. */
  turn: number;
  /** Who has made which moves. */
  readonly made: Set<string>;
  moveBy: number | null;
}

/**
 * The rules of an arena in the plainest words, with arrays to be searched: too slow for a server, too short to be wrong.
 * Where the rules leave it open who of several stands first in the line, whoever took a seat last does.
 */
export class ArenaModel {
  settings: ArenaSettings;
  readonly labels: readonly string[];
  readonly lanes: readonly Lane[];
  readonly game: AnyGame | undefined;
  readonly seats: (Player | undefined)[];
  line: Person[] = [];
  unreported = 0;
  match: ModelMatch | undefined;
  last: { readonly id: number; readonly winner: number | null; readonly reason: string } | undefined;
  matches = 0;
  tickets = 0;
  readonly #create: Create;
  #seatings = 0;
  #now = 0;
  /** The version of the entry that the command at hand leads to, if to any. */
  #version = 0;
  #happened: string[] = [];

  constructor(create: Create) {
    this.#create = create;
    this.game = catalogue.find(({ name }) => name === create.game);
    this.labels = this.game ? this.game.seats : create.labels!;
    this.lanes = create.lanes;
    this.settings = { ...create.settings, seats: create.settings.seats ?? this.labels.length };
    this.seats = this.labels.map(() => undefined);
  }

  get players(): Player[] {
    return this.seats.filter((player) => player !== undefined);
  }

  get everyone(): Person[] {
    return [...this.players, ...this.line];
  }

  /** Whose turn it is, by seat. */
  get toMove(): readonly number[] {
    return this.match && this.game ? this.game.toMove(this.match.board) : [];
  }

  passTo(now: number): void {
    this.#now = now;
    const hindmost = this.line.findLastIndex(({ enteredAt }) => now - enteredAt > this.settings.patienceMs);
    for (const person of this.line.slice(0, hindmost + 1)) person.settled = true;
  }

  /** The code of the refusal, or what happened: matches that ended and started, places that were over, and why. */
  do(command: ArenaCommand, version: number): string[] {
    this.#happened = [];
    this.#version = version;
    const refusal = this.#do(command);
    return refusal === undefined ? this.#happened : [refusal];
  }

  #do(command: ArenaCommand): string | undefined {
    switch (command.type) {
      case "create":
        return "room.exists";
      case "join":
        return this.#join(command.person, command.lane);
      case "leave":
        return this.#leave(command.person);
      case "move":
        return this.#move(command.person, command.match, command.move, command.turn);
      case "resign":
        return this.#resign(command.person, command.match);
      case "report":
        return this.#report(command.match, command.winner);
      case "configure":
        return this.#configure(command);
      case "expire":
        for (const ticket of command.tickets) {
          const silent = this.line.find((person) => person.ticket === ticket)!;
          this.#dropOut(silent, "heartbeat_timeout");
        }
        return undefined;
      case "forfeit": {
        const gone = this.players.filter(({ ticket }) => command.tickets.includes(ticket));
        this.#breakOff(gone, "disconnected");
        return this.#fill();
      }
      case "revive":
        if (this.match && this.match.moveBy !== null) {
          this.match.moveBy = this.#clock();
          this.#say("clock restarted");
        }
        return undefined;
      case "tick":
        return this.#tick();
    }
  }

  #join(person: string, lane: number): string | undefined {
    if (this.everyone.some((other) => other.person === person)) return "place.exists";
    if (!this.lanes[lane]) return "lane.unknown";
    if (this.line.length >= this.settings.lineLengthMax) return "line.full";
    this.#enter(person, lane, 0, this.#behind(lane));
    return this.match ? undefined : this.#fill();
  }

  /** LN1–LN4: min(⌊s × n⌋, n − bound). */
  #behind(lane: number): number {
    const { skips, immediate } = this.lanes[lane];
    const mayNotBePassed = (other: Person) =>
      other.lane === lane || (!immediate && this.lanes[other.lane].immediate) || other.settled;
    const bound = this.line.findLastIndex(mayNotBePassed) + 1;
    const thousandths = BigInt(skips.toFixed(3).replace(".", ""));
    const share = Number((thousandths * BigInt(this.line.length)) / 1000n);
    return Math.min(share, this.line.length - bound);
  }

  #leave(person: string): string | undefined {
    const waiting = this.line.find((other) => other.person === person);
    if (waiting) {
      this.#dropOut(waiting, "cancelled");
      return undefined;
    }
    const player = this.players.find((other) => other.person === person);
    if (!player) return "place.missing";
    this.#breakOff([player], "left");
    return this.#fill();
  }

  #obstacleToActing(id: number, person: string): string | undefined {
    if (this.match?.id !== id) {
      if (this.last?.id === id) return "match.over";
      return this.match ? "match.stale" : "match.none";
    }
    return this.players.some((player) => player.person === person) ? undefined : "seat.missing";
  }

  #move(person: string, id: number, move: string, turn: number | undefined): string | undefined {
    const obstacle = this.#obstacleToActing(id, person);
    if (obstacle) return obstacle;
    const { game, match } = this;
    if (!game) return "move.elsewhere";
    const { cells, choices } = game.table;
    if (![...cells, ...choices].some((each) => each.move === move)) return "move.unknown";
    const seat = this.seats.findIndex((player) => player?.person === person);
    const before = this.toMove;
    if (turn !== undefined && turn !== match!.turn) return "turn.stale";
    if (!before.includes(seat)) return "move.out-of-turn";
    if (!game.moves(match!.board, seat).includes(move)) return "move.impossible";
    if (turn === undefined && match!.made.has(`${seat} ${move}`)) return "turn.missing";
    match!.made.add(`${seat} ${move}`);
    match!.board = game.play(match!.board, seat, move);
    match!.moves++;
    // A turn begins when someone is to move who was not, or may again: whoever is still to move has no more time.
    if (this.toMove.some((each) => each === seat || !before.includes(each))) {
      match!.moveBy = this.#clock();
      match!.turn++;
    }
    const outcome = game.outcome(match!.board);
    return outcome ? this.#decided(outcome.winner, "played") : undefined;
  }

  #resign(person: string, id: number): string | undefined {
    const obstacle = this.#obstacleToActing(id, person);
    if (obstacle) return obstacle;
    this.#breakOff([this.players.find((player) => player.person === person)!], "resigned");
    return this.#fill();
  }

  #report(id: number, winner: string | null): string | undefined {
    if (this.game) return "result.decided-here";
    if (this.last?.id === id) return "result.exists";
    if (!this.match) return "match.none";
    if (this.match.id !== id) return "match.stale";
    const seat = winner === null ? null : this.labels.indexOf(winner);
    if (seat !== null && !this.seats[seat]) return "seat.unknown";
    return this.#decided(seat, "reported");
  }

  #configure({ changes, by, asOperator }: Extract<ArenaCommand, { type: "configure" }>): string | undefined {
    if (by !== this.#create.creator && !asOperator) return "auth.forbidden";
    const { seats = this.settings.seats } = changes;
    const fits = this.game ? seats === this.labels.length : seats >= 2 && seats <= this.labels.length;
    if (!fits) return "seats.unfit";
    this.settings = { ...this.settings, ...changes };
    return this.match ? undefined : this.#fill();
  }

  #tick(): string | undefined {
    if (!this.match || this.match.moveBy === null || this.match.moveBy > this.#now) return undefined;
    if (!this.game) return this.#unreported();
    this.#breakOff(
      this.toMove.map((seat) => this.seats[seat]!),
      "move-timeout",
    );
    return this.#fill();
  }

  /** AR10: a draw; when nobody has reported ten in a row, those who play are out. */
  #unreported(): string | undefined {
    if (this.unreported + 1 < 10) return this.#decided(null, "unreported");
    const { players } = this;
    this.#end(null, "unreported");
    for (const player of players) this.#standUp(player, "forfeited");
    return this.#fill();
  }

  /** AR5, AR6, AR7: the match has a winner, or is a draw. */
  #decided(winner: number | null, reason: string): undefined {
    this.#end(winner, reason);
    if (winner === null) {
      const longestFirst = this.players.toSorted((a, b) => a.seatedAs - b.seatedAs);
      const { drawRule } = this.settings;
      const leaving = { "longest-leaves": 1, rematch: 0, "both-leave": longestFirst.length }[drawRule];
      this.#toTheBack(longestFirst.slice(0, leaving), "completed");
    } else {
      const losers = this.players.filter((player) => player !== this.seats[winner]);
      this.#retire(winner);
      this.#toTheBack(losers, "lost");
    }
    return this.#fill();
  }

  /** AR4, AR8, AR9: these have ended it, if one is on, by what they did or did not do. */
  #breakOff(
    offenders: readonly Player[],
    reason: "left" | "resigned" | "disconnected" | "move-timeout",
  ): void {
    const others = this.seats.filter((player) => player && !offenders.includes(player));
    if (this.match) {
      const winner = others.length === 1 ? this.seats.indexOf(others[0]) : null;
      const late = new Map(offenders.map((player) => [player, player.late]));
      this.#end(winner, reason);
      if (winner !== null) this.#retire(winner);
      if (reason === "move-timeout") for (const [player, before] of late) player.late = before + 1;
    }
    const isBack = ({ late }: Player) => reason === "resigned" || (reason === "move-timeout" && late < 2);
    const why = reason === "left" ? "left" : reason === "resigned" ? "lost" : "forfeited";
    for (const player of offenders.filter((each) => !isBack(each))) this.#standUp(player, why);
    this.#toTheBack(offenders.filter(isBack), why);
  }

  #end(winner: number | null, reason: string): void {
    const { id, number, moves } = this.match!;
    const names = this.players.map(({ person }) => person);
    this.#say(`ended ${number}: ${winner} ${reason} after ${moves} by ${names}`);
    this.match = undefined;
    this.last = { id, winner, reason };
    this.unreported = reason === "unreported" ? this.unreported + 1 : 0;
    for (const player of this.players) {
      player.streak = player === this.seats[winner ?? -1] ? player.streak + 1 : 0;
      player.late = 0;
    }
  }

  #retire(winner: number): void {
    const champion = this.seats[winner]!;
    const { maxWins } = this.settings;
    if (maxWins !== null && champion.streak >= maxWins) this.#toTheBack([champion], "completed");
  }

  #toTheBack(leaving: readonly Player[], reason: string): void {
    const newestFirst = leaving.toSorted((a, b) => b.seatedAs - a.seatedAs);
    for (const player of newestFirst) this.#standUp(player, reason);
    for (const { person, late } of newestFirst) this.#enter(person, 0, late, 0);
  }

  #standUp(player: Player, reason: string): void {
    this.seats[this.seats.indexOf(player)] = undefined;
    this.#say(`left ${player.ticket} ${player.person} ${reason}`);
  }

  #dropOut(waiting: Person, reason: string): void {
    this.line = this.line.filter((other) => other !== waiting);
    this.#say(`left ${waiting.ticket} ${waiting.person} ${reason}`);
  }

  #enter(person: string, lane: number, late: number, behind: number): void {
    const ticket = ++this.tickets as TicketNumber;
    const place = { person, ticket, lane, late, enteredAt: this.#now, settled: false };
    this.line.splice(this.line.length - behind, 0, place);
  }

  /** AR1, AR3, AR4. */
  #fill(): undefined {
    for (const seat of this.labels.keys()) {
      if (this.seats[seat] || this.players.length >= this.settings.seats || this.line.length === 0) continue;
      this.seats[seat] = { ...this.line.shift()!, seatedAs: ++this.#seatings, streak: 0 };
    }
    if (this.players.length < this.settings.seats) return;
    const number = ++this.matches;
    const chance = new Chance(seedOf(this.#create.seed, number));
    const board = this.game?.setup(chance, { bestOf: 3, ...this.#create.options });
    this.match = {
      id: this.#version,
      number,
      board,
      moves: 0,
      turn: 1,
      made: new Set(),
      moveBy: this.#clock(),
    };
    this.#say(`started ${number}`);
  }

  #clock(): number | null {
    const { moveTimeoutMs } = this.settings;
    return moveTimeoutMs === null ? null : this.#now + moveTimeoutMs;
  }

  #say(words: string): void {
    this.#happened.push(words);
  }
}
