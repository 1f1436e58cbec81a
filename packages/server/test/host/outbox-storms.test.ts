import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Sending } from "../../src/host/outbox/courier.ts";
import { LogUnavailable, type StreamName } from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, TestClock, turns } from "../support/test-clock.ts";
import { Post } from "./post.ts";

const senders = ["directory/main", "ladder/club", "arena/a"] as const;
const places = ["telegram/1", "telegram/2", "sms/1", "ladder/l", "ladder/m"] as const;

type Step =
  | {
      readonly type: "write";
      readonly from: StreamName;
      readonly to: StreamName;
      readonly count: number;
    }
  | { readonly type: "answer"; readonly which: number; readonly sending: Sending }
  | { readonly type: "arrive"; readonly which: number; readonly isTaken: boolean }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "log"; readonly state: LogState }
  | { readonly type: "read"; readonly which: number }
  | { readonly type: "resend" | "crash" | "restart" };

const logStates = ["up", "down", "loses answers", "slow"] as const;
type LogState = (typeof logStates)[number];

const which = fc.nat(99);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("write" as const),
        from: fc.constantFrom(...senders),
        to: fc.constantFrom(...places),
        count: fc.integer({ min: 1, max: 30 }),
      }),
    },
    {
      weight: 20,
      arbitrary: fc.record({
        type: fc.constant("answer" as const),
        which,
        sending: fc.constantFrom<Sending[]>(
          ...(["sent", "sent", "sent", { failure: "Gone." }] as const),
          ...([{ retry: "Busy." }, { retry: "Busy.", afterMs: 5_000 }] as const),
        ),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant("arrive" as const), which, isTaken: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.constantFrom(100, 2_000, 70_000) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant("log" as const), state: fc.constantFrom(...logStates) }),
    },
    { weight: 6, arbitrary: fc.record({ type: fc.constant("read" as const), which }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constantFrom("resend" as const, "crash" as const, "restart" as const),
      }),
    },
  ),
  { minLength: 10, maxLength: 120 },
);

/** One outbox after the other on one store, with all that goes wrong in between. */
class Storm {
  readonly #store = new MemoryLog();
  readonly #clock = new TestClock();
  #post: Post;
  #logState: LogState = "up";
  /** Reads of a slow log that have not begun, or have not been answered. */
  readonly #reads: (() => void)[] = [];
  readonly #isAnswered = new WeakSet<object>();
  readonly #checks: Promise<void>[] = [];
  #starts = 0;
  #texts = 0;
  /** By place, for streams by route: all that was to get there, and all that did. */
  readonly written = new Map<string, string[]>();
  readonly arrived = new Map<string, string[]>();

  constructor() {
    this.#post = this.#start();
  }

  async take(step: Step): Promise<void> {
    switch (step.type) {
      case "write": {
        const texts = Array.from({ length: step.count }, () => `t${++this.#texts}`);
        for (const text of texts) noted(this.written, this.#wayOf(step.from, step.to), text);
        await this.#post.send(step.from, step.to, ...texts);
        this.#post.outbox.wake();
        break;
      }
      case "answer":
        this.#answer(this.#owedSends()[step.which % this.#owedSends().length], step.sending);
        break;
      case "arrive":
        this.#arrive(this.#owedParcels()[step.which % this.#owedParcels().length], step.isTaken);
        break;
      case "wait":
        await this.#clock.advance(step.ms);
        break;
      case "log":
        this.#logState = step.state;
        break;
      case "read":
        this.#reads.splice(step.which % (this.#reads.length || 1), 1)[0]?.();
        break;
      case "resend":
        await this.#resend();
        break;
      case "crash":
        // What the dead one still does reaches nobody: its log is gone, and nobody looks at what it sends.
        this.#post = this.#start();
        break;
      case "restart":
        await this.#restart();
    }
    await turns(4);
  }

  /** All goes well from now on, until nothing waits any more. */
  async calm(): Promise<void> {
    this.#logState = "up";
    this.#hurry();
    for (let round = 0; !(await this.#isSettled()); round++) {
      assert.ok(round < 2_000, "something is never delivered");
      for (const sent of this.#owedSends()) this.#answer(sent, "sent");
      for (const parcel of this.#owedParcels()) this.#arrive(parcel, true);
      await turns(4);
      if (this.#owedSends().length + this.#owedParcels().length === 0) await this.#clock.advance(61_000);
    }
    await Promise.all(this.#checks);
    const aside = (await this.#store.deadLetters(undefined, 10_000)).map(({ body }) => body.text as string);
    for (const [way, texts] of this.written) {
      const arrived = this.arrived.get(way) ?? [];
      if (way.includes(" to ladder/")) assert.deepEqual(arrived, texts, `${way}: each once, in its order`);
      else this.#assertSent(texts, arrived, aside);
    }
  }

  /** What is struck off may still be tried again: that it was, the outbox has not heard. */
  async #isSettled(): Promise<boolean> {
    return (await this.#post.waiting()).length === 0 && this.#post.outbox.counts.held === 0;
  }

  /** At least once, and twice only where a process has ended in between. */
  #assertSent(texts: readonly string[], arrived: readonly string[], aside: readonly string[]): void {
    for (const text of texts) {
      const times = arrived.filter((each) => each === text).length;
      assert.ok(times > 0 || aside.includes(text), `${text} is lost`);
      assert.ok(times <= this.#starts, `${text} was sent ${times} times by ${this.#starts} processes`);
    }
  }

  #start(): Post {
    this.#starts++;
    const log = new HeldLog(this.#store);
    const post = new Post({ log, clock: this.#clock });
    log.delivered = this.#losing(log.delivered.bind(log));
    log.undeliverable = this.#losing(log.undeliverable.bind(log));
    log.outbox = this.#slowed(log.outbox.bind(log));
    log.outboxOf = this.#slowed(log.outboxOf.bind(log));
    Object.defineProperty(log, "down", { get: () => this.#logState === "down" || this.#post !== post });
    post.holding = true;
    post.sending = (to, text) => {
      if (this.#post === post) this.#checks.push(this.#assertFirst(to, text));
      return undefined;
    };
    // Only once it is the one that lives.
    queueMicrotask(() => post.outbox.wake());
    return post;
  }

  #losing<Args extends unknown[]>(write: (...args: Args) => Promise<void>) {
    return async (...args: Args): Promise<void> => {
      await write(...args);
      if (this.#logState === "loses answers") throw new LogUnavailable("The answer was lost.");
    };
  }

  #slowed<Args extends unknown[], Found>(read: (...args: Args) => Promise<Found>) {
    const moment = () =>
      this.#logState === "slow" && new Promise<void>((resolve) => this.#reads.push(resolve));
    return async (...args: Args): Promise<Found> => {
      await moment();
      const found = await read(...args);
      await moment();
      return found;
    };
  }

  #hurry(): void {
    if (this.#logState === "slow") this.#logState = "up";
    for (const go of this.#reads.splice(0)) go();
  }

  /** CH7: nothing is sent while anything before it waits for the same place. */
  async #assertFirst(to: StreamName, text: string): Promise<void> {
    const span = { after: 0, upTo: Number.MAX_SAFE_INTEGER };
    const [first] = await this.#store.outboxOf({ to }, span, 1);
    assert.equal(text, first?.body.text, `it has overtaken what waits for ${to}`);
  }

  #answer(sent: Post["sends"][number] | undefined, sending: Sending): void {
    if (!sent) return;
    this.#isAnswered.add(sent);
    if (sending === "sent") noted(this.arrived, this.#wayOf("directory/main", sent.to), sent.text);
    sent.answer(sending);
  }

  /** As a stream does it: what it has had before it knows, and counts only once. */
  #arrive(parcel: Post["parcels"][number] | undefined, isTaken: boolean): void {
    if (!parcel) return;
    this.#isAnswered.add(parcel);
    if (!isTaken) {
      parcel.answer({ code: "server.busy", message: "Later, please.", retryable: true });
      return;
    }
    const way = this.#wayOf(parcel.from, parcel.to);
    const fresh = (parcel.texts as string[]).filter((text) => !this.arrived.get(way)?.includes(text));
    for (const text of fresh) noted(this.arrived, way, text);
    parcel.answer(
      fresh.length > 0 ? undefined : { code: "delivery.repeated", message: "This was counted before." },
    );
  }

  async #resend(): Promise<void> {
    const [letter] = await this.#store.deadLetters(undefined, 1);
    // While the log is down it is refused, and stays where it is.
    if (letter) await this.#post.deadLetters.resend(letter.number).catch(() => {});
  }

  async #restart(): Promise<void> {
    this.#hurry();
    const stopped = this.#post.outbox.stop();
    for (const sent of this.#owedSends()) this.#answer(sent, "sent");
    for (const parcel of this.#owedParcels()) this.#arrive(parcel, true);
    await answered(stopped, "the outbox to stop");
    this.#post = this.#start();
  }

  #owedSends(): Post["sends"] {
    return this.#post.sends.filter((sent) => !this.#isAnswered.has(sent));
  }

  #owedParcels(): Post["parcels"] {
    return this.#post.parcels.filter((parcel) => !this.#isAnswered.has(parcel));
  }

  #wayOf(from: StreamName, to: StreamName): string {
    return to.startsWith("ladder/") ? `${from} to ${to}` : to;
  }
}

function noted(lists: Map<string, string[]>, key: string, text: string): void {
  const list = lists.get(key) ?? [];
  list.push(text);
  lists.set(key, list);
}

test("[CH7] [LD12] through troubles of all kinds: nothing lost, nothing overtaken, in streams each exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const storm = new Storm();
      for (const step of taken) await storm.take(step);
      await storm.calm();
    }),
    { numRuns: 150 },
  );
});
