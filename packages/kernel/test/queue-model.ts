import type { Lane, QueueCommand, QueueSettings } from "@openseat/kernel";

/** One token of the bucket: what a rate of a thousandth a second brings in a million milliseconds. */
const wholeToken = 1_000_000n;

interface ModelPlace {
  readonly ticket: number;
  readonly person: string;
  readonly lane: number;
  readonly address: string | undefined;
  readonly enteredAt: number;
  state: "waiting" | "admitted" | "active" | "completed" | "left" | "expired";
  changedAt: number;
  /** Until when it may be claimed, or lasts. */
  until: number;
  /** Why it is over. */
  reason: string | undefined;
  /** How often it was taken to another device. */
  moves: number;
  /** Nothing was heard of it for a while. */
  away: boolean;
  /** Has waited longer than the patience once, or stood ahead of someone who had. */
  settled: boolean;
}

/**
 * The rules of a waiting room in the plainest words, with arrays to be searched and numbers of any length: too slow
 * for a server, too short to be wrong. Everything that happens is told in words, with the counts after it.
 */
export class QueueModel {
  settings: QueueSettings;
  readonly lanes: readonly Lane[];
  readonly placesPerAddressMax: number | null;
  /** All that there ever were, by ticket. */
  readonly places: ModelPlace[] = [];
  /** Those of them who wait or are inside. */
  live: ModelPlace[] = [];
  line: ModelPlace[] = [];
  paused = false;
  moved = 0;
  /** What has kept newcomers from skipping all that their lane would skip. */
  readonly heldBackBy = new Set<string>();
  #tokens: bigint;
  #now: number;

  constructor(create: Extract<QueueCommand, { type: "create" }>, now: number) {
    this.settings = create.settings;
    this.lanes = create.lanes;
    this.placesPerAddressMax = create.placesPerAddressMax;
    this.#tokens = BigInt(create.settings.burst) * wholeToken;
    this.#now = now;
  }

  in(state: ModelPlace["state"]): ModelPlace[] {
    return this.live.filter((place) => place.state === state);
  }

  get inside(): ModelPlace[] {
    return this.live.filter(({ state }) => state !== "waiting");
  }

  /** AD2, LN4: the bucket fills, and people get settled. */
  passTo(now: number): void {
    this.#tokens += this.#rate * BigInt(now - this.#now);
    this.#fitBurst();
    this.#now = now;
    this.#settle();
  }

  /** When something happens by itself: a claim or a session runs out, or the front gets its token. */
  get nextDue(): number | undefined {
    const dues = this.inside.map(({ until }) => until);
    const front = this.#next;
    if (front && !this.paused && this.inside.length < this.settings.seats) {
      const missing = wholeToken - this.#tokens;
      const isReady = this.#isFree(front) || missing <= 0n;
      dues.push(this.#now + (isReady ? 0 : Number((missing + this.#rate - 1n) / this.#rate)));
    }
    return dues.length > 0 ? Math.min(...dues) : undefined;
  }

  /** The code of the refusal, or what happened. */
  do(command: QueueCommand): string[] {
    switch (command.type) {
      case "create":
        return ["room.exists"];
      case "end":
        throw new Error("Nothing is known here of queues that have ended.");
      case "enter":
        return this.#enter(command);
      case "pause":
      case "resume":
        if (this.paused === (command.type === "pause"))
          return [`queue.${this.paused ? "paused" : "running"}`];
        this.paused = command.type === "pause";
        return this.#configure({});
      case "configure":
        return this.#configure(command.changes);
      case "tick":
        return this.#tick();
      case "away":
      case "back":
        for (const ticket of command.tickets) this.places[ticket - 1].away = command.type === "away";
        return [this.#say(`${command.type} ${command.tickets}`), ...this.#admit()];
      case "expire":
        for (const ticket of command.tickets) this.#end(this.places[ticket - 1], "expired", command.reason);
        return [this.#say(`expired ${command.tickets} ${command.reason}`), ...this.#admit()];
      case "take-along":
        return this.#takeAlong(command);
      default:
        return this.#aboutPlace(command);
    }
  }

  #enter({ person, lane, address }: Extract<QueueCommand, { type: "enter" }>): string[] {
    if (this.live.some((place) => place.person === person)) return ["place.exists"];
    if (!this.lanes[lane]) return ["lane.unknown"];
    if (this.line.length >= this.settings.lineLengthMax) return ["line.full"];
    const neighbours = address ? this.live.filter((place) => place.address === address).length : 0;
    if (this.placesPerAddressMax !== null && neighbours >= this.placesPerAddressMax) return ["limit.address"];
    const behind = this.#behind(lane);
    const now = this.#now;
    const place: ModelPlace = {
      ...{ ticket: this.places.length + 1, person, lane, address, enteredAt: now },
      ...{
        state: "waiting",
        changedAt: now,
        until: 0,
        reason: undefined,
        moves: 0,
        away: false,
        settled: false,
      },
    };
    this.places.push(place);
    this.live.push(place);
    this.line.splice(this.line.length - behind, 0, place);
    return [this.#say(`entered ${place.ticket} ${person} lane ${lane} behind ${behind}`), ...this.#admit()];
  }

  /** LN1–LN4: min(⌊s × n⌋, n − bound). */
  #behind(lane: number): number {
    const { skips, immediate } = this.lanes[lane];
    const mayNotPass = (place: ModelPlace) =>
      place.lane === lane || (!immediate && this.lanes[place.lane].immediate) || place.settled;
    const hindmost = this.line.findLast(mayNotPass);
    const bound = hindmost ? this.line.indexOf(hindmost) + 1 : 0;
    const thousandths = BigInt(skips.toFixed(3).replace(".", ""));
    const share = Number((thousandths * BigInt(this.line.length)) / 1000n);
    if (hindmost && share > this.line.length - bound) {
      if (hindmost.lane === lane) this.heldBackBy.add("the same lane");
      else this.heldBackBy.add(hindmost.settled ? "someone settled" : "an immediate lane");
    }
    return Math.min(share, this.line.length - bound);
  }

  #settle(): void {
    const { patienceMs } = this.settings;
    const hindmost = this.line.findLastIndex(({ enteredAt }) => this.#now - enteredAt > patienceMs);
    for (const place of this.line.slice(0, hindmost + 1)) place.settled = true;
  }

  /** LN11, AD4: the first who is there; when everybody is away, the front. */
  get #next(): ModelPlace | undefined {
    return this.line.find(({ away }) => !away) ?? this.line[0];
  }

  /** AD1, AD4, LN3: from the front, while there are seats, and tokens for those who need one. */
  #admit(): string[] {
    const admitted: ModelPlace[] = [];
    let seats = this.settings.seats - this.inside.length;
    for (let front = this.#next; front && !this.paused && seats > 0; front = this.#next) {
      if (!this.#isFree(front)) {
        if (this.#tokens < wholeToken) break;
        this.#tokens -= wholeToken;
      }
      this.line.splice(this.line.indexOf(front), 1);
      admitted.push(front);
      seats--;
      this.moved++;
      this.#move(front, "admitted", this.#now + this.settings.claimTimeoutMs);
    }
    if (admitted.length === 0) return [];
    const tickets = admitted.map(({ ticket }) => ticket);
    return [this.#say(`admitted ${tickets} claim by ${admitted[0].until}`)];
  }

  #isFree({ lane }: ModelPlace): boolean {
    return this.lanes[lane].immediate || this.settings.ratePerSecond === null;
  }

  /** LS6: a code is of the number of moves before it. */
  #takeAlong({ ticket, before }: Extract<QueueCommand, { type: "take-along" }>): string[] {
    const place = this.places[ticket - 1];
    if (!place) return ["place.not-found"];
    if (!this.live.includes(place)) return ["place.over"];
    if (place.moves !== before) return ["code.used"];
    place.moves++;
    return [this.#say(`taken-along ${ticket}`)];
  }

  #aboutPlace({
    type,
    ticket,
    person,
  }: Extract<QueueCommand, { person: unknown; ticket: unknown }>): string[] {
    const place = this.places[ticket - 1];
    if (!place || (person !== undefined && place.person !== person)) return ["place.not-found"];
    const { state } = place;
    if (state === "completed" || state === "left" || state === "expired") return ["place.over"];
    if (type === "claim") {
      if (state !== "admitted") return ["place.unready"];
      this.#move(place, "active", this.#now + this.settings.sessionDurationMs);
      return [this.#say(`claimed ${ticket} until ${place.until}`)];
    }
    if (type === "complete") {
      if (state !== "active") return ["place.unready"];
      this.#end(place, "completed", "completed");
      return [this.#say(`completed ${ticket}`), ...this.#admit()];
    }
    const how = type === "leave" ? "left" : "expired";
    const reason = how === "expired" ? "terminated" : state === "waiting" ? "cancelled" : "left";
    this.#end(place, how, reason);
    return [this.#say(`${how} ${ticket} ${reason}`), ...this.#admit()];
  }

  #tick(): string[] {
    const happened: string[] = [];
    const overdue = this.inside.filter(({ until }) => until <= this.#now);
    overdue.sort((a, b) => a.until - b.until || a.ticket - b.ticket);
    for (const [state, reason] of [
      ["admitted", "claim_timeout"],
      ["active", "session_timeout"],
    ]) {
      const gone = overdue.filter((place) => place.state === state);
      for (const place of gone) this.#end(place, "expired", reason);
      if (gone.length > 0) happened.push(this.#say(`expired ${gone.map(({ ticket }) => ticket)} ${reason}`));
    }
    return [...happened, ...this.#admit()];
  }

  #configure(changes: Partial<QueueSettings>): string[] {
    this.settings = { ...this.settings, ...changes };
    this.#fitBurst();
    const words = this.#say(`configured ${JSON.stringify(this.settings)} ${this.paused ? "PAUSED" : "OPEN"}`);
    const admitted = this.#admit();
    this.#settle();
    return [words, ...admitted];
  }

  #end(place: ModelPlace, how: "completed" | "left" | "expired", reason: string): void {
    place.reason = reason;
    this.line = this.line.filter((other) => other !== place);
    this.live = this.live.filter((other) => other !== place);
    this.#move(place, how, place.until);
  }

  #move(place: ModelPlace, state: ModelPlace["state"], until: number): void {
    Object.assign(place, { state, until, changedAt: this.#now, away: false });
  }

  get #rate(): bigint {
    return BigInt(Math.round((this.settings.ratePerSecond ?? 0) * 1000));
  }

  #fitBurst(): void {
    const full = BigInt(this.settings.burst) * wholeToken;
    if (this.#tokens > full) this.#tokens = full;
  }

  #say(words: string): string {
    const [admitted, active] = [this.in("admitted").length, this.in("active").length];
    return `${words} | ${this.line.length} ${admitted} ${active} ${this.moved}`;
  }
}
