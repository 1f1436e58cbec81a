import { type GoodputSample, goodWithinMs, peakOf } from "../measuring/goodput.ts";
import { nowMs } from "../measuring/timeline.ts";
import { type Attacker, attackerAddress } from "./attacker.ts";
import { PipelinedConnection } from "./pipelined-connection.ts";

const sampleMs = 200;
/** Time to ignore after a change of load, because answers to the old load still arrive. */
const settleMs = 600;
const tickMs = 2;
const requestsPerWrite = 8;
const backlogBytesMax = 64 * 1024;
const beforeReconnectMs = 50;
const connectMs = 300;

/** The next requests of a connection, as text. */
export type Source = (connection: number, count: number) => string;

export type OverloadPlan = {
  readonly connections: number;
  readonly addresses: number;
  /** Requests per connection under closed load. */
  readonly inFlight: number;
  /**
   * Requests per connection under open load. A connection this far behind is sent no more: the server reads 16 of
   * them, and others would wait in the socket for longer than an answer may take.
   */
  readonly unansweredMax: number;
  readonly source: Source;
};

/**
 * Loads the server in two ways. Closed load keeps a few requests per connection under way, which finds the
 * capacity. Open load sends requests at a fixed rate whatever the server does, like real people. Both are measured
 * in the same way.
 */
export class OverloadLoad {
  readonly #attacker: Attacker;
  readonly #plan: OverloadPlan;
  readonly #connections: PipelinedConnection[] = [];
  #load: GoodputSample["load"] | "none" = "none";
  #good = 0;
  #offered = 0;
  #heldBack = 0;
  #next = 0;

  constructor(attacker: Attacker, plan: OverloadPlan) {
    this.#attacker = attacker;
    this.#plan = plan;
  }

  /** The capacity known so far. */
  get peakPerSecond(): number {
    return peakOf(this.#attacker.goodput) || 0;
  }

  async connect(): Promise<void> {
    for (let number = 0; number < this.#plan.connections; number++) this.#connect(number);
    await this.#attacker.pause(connectMs);
  }

  async closed(ms: number): Promise<void> {
    this.#load = "closed";
    for (const number of this.#connections.keys()) this.#fill(number);
    await this.#sample("closed", ms);
  }

  async open(perSecond: number, ms: number): Promise<void> {
    this.#load = "open";
    const startedAt = performance.now();
    let offered = 0;
    const send = (): void => {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000);
      for (; offered < due; offered += requestsPerWrite) this.#offer();
    };
    const ticking = setInterval(send, tickMs);
    await this.#sample("open", ms);
    clearInterval(ticking);
  }

  close(): void {
    this.#load = "none";
    for (const connection of this.#connections) connection.destroy();
  }

  #connect(number: number): void {
    const from = attackerAddress(1 + (number % this.#plan.addresses));
    this.#connections[number] = new PipelinedConnection(this.#attacker.from(from), {
      opened: () => {
        this.#attacker.opened();
        this.#fill(number);
      },
      answered: (status, waitedMs) => {
        const isLate = waitedMs > goodWithinMs;
        this.#attacker.count(isLate ? `${status} too late` : status);
        if (status < 300 && !isLate) this.#good++;
        this.#fill(number);
      },
      closed: (error) => {
        this.#attacker.cut(error);
        void this.#attacker
          .pause(beforeReconnectMs)
          .then(() => this.#attacker.isOver || this.#connect(number));
      },
    });
  }

  /**
   * Under closed load: refills a connection when half of its requests are answered. One write per request would
   * cost the attacker more than the server, and would measure the attacker's capacity.
   */
  #fill(number: number): void {
    if (this.#load !== "closed") return;
    const connection = this.#connections[number];
    const missing = this.#plan.inFlight - connection.unanswered;
    if (!connection.isOpen || missing < this.#plan.inFlight / 2) return;
    this.#offered += missing;
    connection.send(this.#plan.source(number, missing), missing);
  }

  /** Under open load: sends the next few requests on the next connection. */
  #offer(): void {
    const number = this.#next++ % this.#connections.length;
    const connection = this.#connections[number];
    const isBehind =
      !connection.isOpen ||
      connection.unanswered >= this.#plan.unansweredMax ||
      connection.backlogBytes >= backlogBytesMax;
    this.#offered += requestsPerWrite;
    if (isBehind) {
      this.#heldBack += requestsPerWrite;
      this.#attacker.count("held back", requestsPerWrite);
    } else connection.send(this.#plan.source(number, requestsPerWrite), requestsPerWrite);
  }

  /** Counts requests and good answers in intervals until the time is up. */
  async #sample(load: GoodputSample["load"], ms: number): Promise<void> {
    await this.#attacker.pause(settleMs);
    const endsAt = nowMs() + ms - settleMs;
    for (let fromMs = nowMs(); fromMs < endsAt && !this.#attacker.isOver; ) {
      const before = { good: this.#good, offered: this.#offered, heldBack: this.#heldBack };
      await this.#attacker.pause(sampleMs);
      const toMs = nowMs();
      this.#attacker.goodput.push({
        ...{ fromMs, toMs, load },
        good: this.#good - before.good,
        offered: this.#offered - before.offered,
        heldBack: this.#heldBack - before.heldBack,
      });
      fromMs = toMs;
    }
  }
}
