import { type GoodputSample, goodWithinMs, peakOf } from "../measuring/goodput.ts";
import { nowMs } from "../measuring/timeline.ts";
import { type Attacker, attackerAddress } from "./attacker.ts";
import { PipelinedConnection } from "./pipelined-connection.ts";

const sampleMs = 200;
/** After a change of load, answers to the load before it still come. */
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
   * Requests per connection under open load. A connection that is so far behind is sent nothing more: the server reads 16 of them, and the
   * others would wait longer in their socket than an answer may take.
   */
  readonly unansweredMax: number;
  readonly source: Source;
};

/**
 * Loads the server in two ways. Closed: each connection keeps a few requests under way and waits for its answers, which finds the
 * capacity. Open: requests come at their rate whatever the server does, as they do from people. Both are measured alike.
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

  /** The capacity as it is known so far. */
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
   * While it is closed: as many under way as there should be, topped up by half of them at a time. One write per request would cost the
   * attacker more than the server, and the capacity that is found would be the attacker's.
   */
  #fill(number: number): void {
    if (this.#load !== "closed") return;
    const connection = this.#connections[number];
    const missing = this.#plan.inFlight - connection.unanswered;
    if (!connection.isOpen || missing < this.#plan.inFlight / 2) return;
    this.#offered += missing;
    connection.send(this.#plan.source(number, missing), missing);
  }

  /** While it is open: the next few requests, on the next connection. */
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

  /** Counts requests and good answers, in stretches, until the time is up. */
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
