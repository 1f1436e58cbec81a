import { type HttpConnection, HttpConnections } from "../http-connections.ts";
import { LatencyHistogram } from "../latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError } from "../load.ts";
import type { Crowd } from "../persons.ts";
import { claimRequest, completeRequest, enterRequest, positionRequest } from "../requests.ts";
import type { Admission } from "./admission-checks.ts";
import { AskingOrder } from "./asking-order.ts";

const tickMs = 1;
const progressMs = 100;
/** After this long without work, a person asks how far the line has moved. */
const scoutMs = 20;
const errorsShownMax = 3;

export type FlashPlan = {
  readonly queue: string;
  readonly people: number;
  /** Each person's lane, by number from 0. */
  readonly laneOf: (person: number) => number;
  readonly arrivalsMs: number;
  /** Extra time after everyone has entered and asked, so that more people are admitted. */
  readonly afterMs: number;
  readonly claimTimeoutMs: number;
  /** How long people stay inside. */
  readonly stayMs: number;
};

export type FlashResult = {
  readonly enter: LatencyHistogram;
  readonly position: LatencyHistogram;
  readonly entered: number;
  readonly positions: number;
  readonly claimed: number;
  readonly completed: number;
  /** In the order in which people learnt of them. */
  readonly admissions: readonly Admission[];
  /** People told to wait after a later arrival of their lane had been told that it is their turn. */
  readonly overtaken: number;
  readonly enteredAfterMs: number;
  /** The longest delay of a person who had to wait for a connection. */
  readonly lateMs: number;
  readonly elapsedMs: number;
  readonly errors: number;
  readonly errorTexts: readonly string[];
};

/** A person's next action. */
type Act = "enter" | "position" | "claim" | "complete";

type PositionAnswer = {
  readonly id: string;
  readonly status: string;
  readonly position: number;
  readonly moved: number;
  readonly token?: string;
  readonly claimBy?: string;
};
type PlaceAnswer = { readonly position: PositionAnswer; readonly session: { readonly id: string } };

/**
 * A crowd that arrives within seconds, most of it at once. Each person enters, asks for the position, asks again
 * when it may be their turn, then claims, stays and leaves. Each person has at most one request under way.
 */
export class FlashCrowd {
  readonly #plan: FlashPlan;
  readonly #tokens: string[];
  readonly #connections: HttpConnections;
  readonly #askingOrder = new AskingOrder();
  readonly #acts: Act[];
  /** The place id, then the admission token, then the session id: whichever the next request needs. */
  readonly #has: string[] = [];
  readonly #ticketOf: Uint32Array;
  /** By person: the newest ticket of their lane known to be admitted when they asked. */
  readonly #newestWhenAsked: Uint32Array;
  readonly #newestAdmitted = new Map<number, number>();
  readonly #urgent: number[] = [];
  /** People inside and when they leave, in order of arrival. */
  readonly #inside: { readonly person: number; readonly until: number }[] = [];
  #gone = 0;
  readonly #enter = new LatencyHistogram();
  readonly #position = new LatencyHistogram();
  readonly #admissions: Admission[] = [];
  readonly #errorTexts: string[] = [];
  #idle: HttpConnection[] = [];
  #inFlight = 0;
  #arrived = 0;
  /** People whose first question was answered, or who need none. */
  #settled = 0;
  readonly #isSettled: Uint8Array;
  #lateMs = 0;
  #claimed = 0;
  #completed = 0;
  #overtaken = 0;
  #errors = 0;
  #startedAt = 0;
  #receivedAt = 0;
  #enteredAt = 0;
  #settledAt = Number.POSITIVE_INFINITY;
  #end: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(address: Address, connections: number, crowd: Crowd, plan: FlashPlan) {
    this.#plan = plan;
    this.#tokens = Array.from(
      { length: plan.people },
      (_, person) => crowd.person(person + 1, plan.laneOf(person)).token,
    );
    this.#acts = new Array<Act>(plan.people).fill("enter");
    this.#ticketOf = new Uint32Array(plan.people);
    this.#isSettled = new Uint8Array(plan.people);
    this.#newestWhenAsked = new Uint32Array(plan.people);
    this.#connections = new HttpConnections(address, connections, {
      answered: (connection, status, bytes, start, end) =>
        this.#answered(connection, status, bytes.toString("utf8", start, end)),
      failed: (error) => this.#end?.reject(error),
    });
  }

  async run(onProgress: (entered: number) => void): Promise<FlashResult> {
    await this.#connections.connectAll();
    this.#idle = [...this.#connections.connections];
    this.#startedAt = this.#receivedAt = performance.now();
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = { resolve, reject };
    });
    const ticking = setInterval(() => this.#tick(), tickMs);
    const showing = setInterval(() => onProgress(this.#enter.total), progressMs);
    try {
      await ended;
    } finally {
      clearInterval(ticking);
      clearInterval(showing);
      this.#connections.close();
    }
    return {
      enter: this.#enter,
      position: this.#position,
      entered: this.#enter.total,
      positions: this.#position.total,
      claimed: this.#claimed,
      completed: this.#completed,
      admissions: this.#admissions,
      overtaken: this.#overtaken,
      enteredAfterMs: this.#enteredAt - this.#startedAt,
      lateMs: this.#lateMs,
      elapsedMs: this.#receivedAt - this.#startedAt,
      errors: this.#errors,
      errorTexts: this.#errorTexts,
    };
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#receivedAt > answerTimeoutMs && this.#inFlight > 0)
      this.#end?.reject(new LoadError(`No answer for ${answerTimeoutMs / 1000} s in the flash crowd.`));
    this.#sendDue(now);
    if (now - this.#receivedAt > scoutMs && this.#idle.length > 0 && !this.#isOver(now)) {
      const scout = this.#askingOrder.scout();
      if (scout !== undefined) this.#send(this.#idle.pop()!, scout, now);
    }
    if (this.#isOver(now) && this.#inFlight === 0) this.#end?.resolve();
  }

  #isOver(now: number): boolean {
    return now > this.#settledAt + this.#plan.afterMs;
  }

  #sendDue(now: number): void {
    while (this.#idle.length > 0) {
      const person = this.#nextPerson(now);
      if (person === undefined) return;
      this.#send(this.#idle.pop()!, person, now);
    }
  }

  #nextPerson(now: number): number | undefined {
    if (this.#isOver(now)) return undefined;
    return this.#nextToGo(now) ?? this.#urgent.pop() ?? this.#askingOrder.next() ?? this.#nextArrival(now);
  }

  #nextToGo(now: number): number | undefined {
    const first = this.#inside[this.#gone];
    if (first === undefined || now < first.until) return undefined;
    this.#gone++;
    return first.person;
  }

  /** The doors open: half of the people arrive in the first quarter of the time. */
  #nextArrival(now: number): number | undefined {
    const { people, arrivalsMs } = this.#plan;
    if (this.#arrived === people) return undefined;
    const lateMs = now - this.#startedAt - arrivalsMs * (this.#arrived / people) ** 2;
    if (lateMs < 0) return undefined;
    this.#lateMs = Math.max(this.#lateMs, lateMs);
    return this.#arrived++;
  }

  #send(connection: HttpConnection, person: number, now: number): void {
    this.#inFlight++;
    this.#newestWhenAsked[person] = this.#newestAdmitted.get(this.#plan.laneOf(person)) ?? 0;
    this.#connections.send(connection, person, this.#requestOf(person), now);
  }

  #requestOf(person: number): string {
    const token = this.#tokens[person];
    const has = this.#has[person];
    switch (this.#acts[person]) {
      case "enter":
        return enterRequest(this.#plan.queue, token);
      case "position":
        return positionRequest(has, token);
      case "claim":
        return claimRequest(has, token);
      case "complete":
        return completeRequest(has, token);
    }
  }

  #answered(connection: HttpConnection, status: number, text: string): void {
    const now = performance.now();
    const person = connection.request;
    this.#receivedAt = now;
    this.#inFlight--;
    if (status === 200 || status === 201) this.#goOn(person, now - connection.askedAt, JSON.parse(text).data);
    else this.#fail(person, `${this.#acts[person]} was answered ${status}: ${text}`);
    this.#idle.push(connection);
    this.#sendDue(now);
  }

  #goOn(person: number, latencyMs: number, { position, session }: PlaceAnswer): void {
    switch (this.#acts[person]) {
      case "enter":
        this.#enter.record(latencyMs * 1000);
        this.#enteredAt = this.#receivedAt;
        this.#has[person] = position.id;
        this.#ticketOf[person] = ticketIn(position.id);
        if (position.status === "ADMITTED") this.#admit(person, position);
        else this.#then(person, "position");
        break;
      case "position":
        this.#position.record(latencyMs * 1000);
        this.#positionAnswered(person, position);
        break;
      case "claim":
        this.#claimed++;
        this.#has[person] = session.id;
        this.#acts[person] = "complete";
        this.#inside.push({ person, until: this.#receivedAt + this.#plan.stayMs });
        break;
      case "complete":
        this.#completed++;
    }
  }

  #fail(person: number, text: string): void {
    this.#errors++;
    this.#settle(person);
    if (this.#errorTexts.length < errorsShownMax) this.#errorTexts.push(text);
  }

  #settle(person: number): void {
    if (this.#isSettled[person] === 1) return;
    this.#isSettled[person] = 1;
    if (++this.#settled === this.#plan.people) this.#settledAt = this.#receivedAt;
  }

  #then(person: number, act: Act): void {
    this.#acts[person] = act;
    this.#urgent.push(person);
  }

  #positionAnswered(person: number, answer: PositionAnswer): void {
    this.#settle(person);
    this.#askingOrder.see(answer.moved);
    if (answer.status === "ADMITTED") this.#admit(person, answer);
    else if (answer.status === "WAITING") {
      if (this.#ticketOf[person] < this.#newestWhenAsked[person]) this.#overtaken++;
      this.#askingOrder.wait(person, answer.position, answer.moved);
    }
  }

  #admit(person: number, { token, claimBy }: PositionAnswer): void {
    this.#settle(person);
    const lane = this.#plan.laneOf(person);
    const ticket = this.#ticketOf[person];
    this.#admissions.push({ ticket, lane, at: Date.parse(claimBy!) - this.#plan.claimTimeoutMs });
    this.#newestAdmitted.set(lane, Math.max(this.#newestAdmitted.get(lane) ?? 0, ticket));
    this.#has[person] = token!;
    this.#then(person, "claim");
  }
}

/** An id consists of queue, ticket in base 36, and proof. Queue names and proofs may contain dashes. */
function ticketIn(id: string): number {
  const proofLength = 16;
  const name = id.slice(0, -proofLength - 1);
  return Number.parseInt(name.slice(name.lastIndexOf("-") + 1), 36);
}
