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

/** A batch delivered to a stream. */
interface Parcel {
  readonly to: StreamName;
  readonly from: StreamName;
  readonly texts: readonly unknown[];
  /** Answers with success or with this refusal. */
  answer(refusal?: Refusal): void;
}

/** A message passed to a sender. */
interface Sent {
  readonly to: StreamName;
  readonly text: string;
  answer(sending: Sending): void;
  /** Answers as a sender that throws. */
  fail(error: Error): void;
}

/** This many distinct texts. */
export function numbered(count: number, start = "t"): string[] {
  return Array.from({ length: count }, (_, index) => `${start}${index}`);
}

interface Deliver {
  readonly from: StreamName;
  readonly deliveries: readonly Delivery[];
}

const receive = (from: string, deliveries: readonly Delivery[]) => ({ from, deliveries });

type Given = Partial<Pick<Post, "log" | "clock"> & Pick<OutboxDeps, "queuesMax" | "senders">>;

/** An outbox to ladders, Telegram and phones, on a log and a clock that the test controls. */
export class Post {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly outbox: Outbox;
  readonly deadLetters: DeadLetters;
  readonly errors: Error[] = [];
  /** All batches ever delivered to a stream. */
  readonly parcels: Parcel[] = [];
  /** While true, batches wait for the test to answer them. */
  holding = false;
  /** The answer while nothing is held. */
  refusal: Refusal | undefined;
  /** All messages ever passed to a sender. */
  readonly sends: Sent[] = [];
  /** The senders' answer; undefined while the test answers each message. */
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

  /** Another outbox on the same log, as after a crash: nothing of this one is finished first. */
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

  /** Appends an entry with these effects. */
  async send(from: StreamName, to: StreamName, ...texts: string[]): Promise<void> {
    const after = (await this.log.inner.head(from))?.version ?? 0;
    assert.deepEqual(await appendAll(this.log.inner, [sending(from, texts, to, after)]), ["appended"]);
  }

  /** Wakes the outbox, and runs everything that can happen without time passing. */
  async deliver(): Promise<void> {
    this.outbox.wake();
    await turns();
  }

  get told(): string[] {
    return this.parcels.map(({ from, to, texts }) => `${from} to ${to}: ${texts.join(" ")}`);
  }

  /** The messages that senders got for one receiver, or for all. */
  textsTo(to?: StreamName): string[] {
    return this.sends.filter((sent) => to === undefined || sent.to === to).map(({ text }) => text);
  }

  async waiting(): Promise<unknown[]> {
    return (await this.log.inner.outbox(0, 10_000)).map(({ body }) => body.text);
  }

  /** The dead letters with their reasons, the oldest first. */
  async setAside(): Promise<string[]> {
    const letters = await this.log.inner.deadLetters(undefined, 10_000);
    return letters.map(({ body, reason }) => `${body.text}: ${reason}`).reverse();
  }
}
