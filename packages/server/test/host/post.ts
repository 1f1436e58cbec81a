import assert from "node:assert/strict";
import type { Delivery, Refusal } from "@openseat/kernel";
import type { Sending } from "../../src/host/outbox/channel-sender.ts";
import { DeadLetters } from "../../src/host/outbox/dead-letters.ts";
import { Outbox, type OutboxDeps } from "../../src/host/outbox/outbox.ts";
import type { StreamName } from "../../src/log/log.ts";
import { sending } from "../log/outbox-contract.ts";
import { appendAll } from "../support/append-all.ts";
import { HeldLog } from "../support/held-log.ts";
import { TestClock, turns } from "../support/test-clock.ts";

/** What was taken to a stream. */
interface Parcel {
  readonly to: StreamName;
  readonly from: StreamName;
  readonly texts: readonly unknown[];
  /** Says that it has arrived, or why not. */
  answer(refusal?: Refusal): void;
}

/** What was given to a sender. */
interface Sent {
  readonly to: StreamName;
  readonly text: string;
  answer(sending: Sending): void;
  /** As a sender that has a fault. */
  fail(error: Error): void;
}

/** So many texts, each its own. */
export function numbered(count: number, start = "t"): string[] {
  return Array.from({ length: count }, (_, index) => `${start}${index}`);
}

interface Deliver {
  readonly from: StreamName;
  readonly deliveries: readonly Delivery[];
}

const receive = (from: string, deliveries: readonly Delivery[]) => ({ from, deliveries });

type Given = Partial<Pick<Post, "log" | "clock"> & Pick<OutboxDeps, "queuesMax" | "senders">>;

/** An outbox to ladders, to Telegram and to phones, on a log and a clock that the test holds in its hand. */
export class Post {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly outbox: Outbox;
  readonly deadLetters: DeadLetters;
  readonly errors: Error[] = [];
  /** All that was ever taken to a stream. */
  readonly parcels: Parcel[] = [];
  /** While true, parcels wait for the test to answer them. */
  holding = false;
  /** What is answered while nothing is held. */
  refusal: Refusal | undefined;
  /** All that was ever given to a sender. */
  readonly sends: Sent[] = [];
  /** What senders answer; undefined while the test is going to. */
  sending: (to: StreamName, text: string) => Sending | undefined = () => "sent";

  constructor({ log = new HeldLog(), clock = new TestClock(), ...given }: Given = {}) {
    this.log = log;
    this.clock = clock;
    this.outbox = new Outbox({
      log,
      clock,
      deciders: {
        ladder: { inbox: { receive } },
        conversation: { inbox: { receive, isOrdered: true } },
      },
      senders: { telegram: this.#sender("telegram"), sms: this.#sender("sms") },
      ask: (to, { command }) => this.#receive(to, command as Deliver),
      unsendable: "failure",
      onError: (error) => this.errors.push(error as Error),
      ...given,
    });
    this.deadLetters = new DeadLetters(log, this.outbox, { announce() {} });
  }

  /** Another on the same log, as after a crash: nothing of this one is finished first. */
  another(given: Given = {}): Post {
    return new Post({ log: this.log, clock: this.clock, ...given });
  }

  #receive(to: StreamName, { from, deliveries }: Deliver): Promise<{ refusal: Refusal } | object> {
    return new Promise((resolve) => {
      const texts = deliveries.map(({ body }) => body.text);
      const answer = (refusal?: Refusal) => resolve(refusal ? { refusal } : {});
      this.parcels.push({ to, from, texts, answer });
      if (!this.holding) answer(this.refusal);
    });
  }

  #sender(kind: string) {
    return {
      send: (id: string, { text }: Delivery["body"]) =>
        new Promise<Sending>((answer, fail) => {
          const sent = { to: `${kind}/${id}` as const, text: text as string, answer, fail };
          this.sends.push(sent);
          const said = this.sending(sent.to, sent.text);
          if (said) answer(said);
        }),
    };
  }

  /** An entry that causes these things. */
  async send(from: StreamName, to: StreamName, ...texts: string[]): Promise<void> {
    const after = (await this.log.inner.head(from))?.version ?? 0;
    assert.deepEqual(await appendAll(this.log.inner, [sending(from, texts, to, after)]), ["appended"]);
  }

  /** Looks for what is to be delivered, and lets all happen that can happen without time. */
  async deliver(): Promise<void> {
    this.outbox.wake();
    await turns();
  }

  get told(): string[] {
    return this.parcels.map(({ from, to, texts }) => `${from} to ${to}: ${texts.join(" ")}`);
  }

  /** What senders were given for one place, or for all. */
  textsTo(to?: StreamName): string[] {
    return this.sends.filter((sent) => to === undefined || sent.to === to).map(({ text }) => text);
  }

  async waiting(): Promise<unknown[]> {
    return (await this.log.inner.outbox(0, 10_000)).map(({ body }) => body.text);
  }

  /** What was set aside, and why: the oldest first. */
  async setAside(): Promise<string[]> {
    const letters = await this.log.inner.deadLetters(undefined, 10_000);
    return letters.map(({ body, reason }) => `${body.text}: ${reason}`).reverse();
  }
}
