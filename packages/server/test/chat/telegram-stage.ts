import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Refusal } from "@openseat/kernel";
import type { Channel, ChannelReply, Incoming, MessageReceiver } from "../../src/app/chat/channel.ts";
import type { ChannelAdapter } from "../../src/channels/channel-adapter.ts";
import { type TelegramOptions, telegram } from "../../src/channels/telegram.ts";
import type { Timer } from "../../src/clock.ts";
import { TestClock, until } from "../support/test-clock.ts";
import { type StandInOptions, TelegramStandIn } from "./telegram-stand-in.ts";

export const busy: Refusal = { code: "server.busy", message: "Not now.", retryable: true };
export const fault: Refusal = { code: "server.fault", message: "Something went wrong on our side." };

/** Records the waits that it was asked for. */
class NotedClock extends TestClock {
  readonly asked: number[] = [];

  override after(ms: number, run: () => void): Timer {
    this.asked.push(ms);
    return super.after(ms, run);
  }
}

/** How much faster time passes here. */
const hurry = 20;

/** For runs with many faults at unpredictable times. */
export class FastClock extends TestClock {
  override after(ms: number, run: () => void): Timer {
    const timer = setTimeout(run, ms / hurry);
    return { cancel: () => clearTimeout(timer) };
  }
}

/** Records what it receives. */
export class FakeReceiver implements MessageReceiver {
  /** Everything received, in order, with repeats. */
  readonly received: Incoming[] = [];
  readonly moves: (readonly [from: string, to: string, id: string])[] = [];
  /** What the next deliveries of a text return, in order, before its reply; an error is thrown. */
  readonly script = new Map<string, (Refusal | Error)[]>();
  /** While set, nothing is answered until it is released. */
  #gate: (() => void)[] | undefined;

  async receive(channel: Channel, message: Incoming): Promise<ChannelReply> {
    assert.equal(channel.name, "telegram");
    this.received.push(message);
    await this.#pass();
    const outcome = this.script.get(message.text)?.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome ? { refusal: outcome } : { reply: `You said ${message.text}.` };
  }

  async moved(_: Channel, from: string, to: string, id: string): Promise<ChannelReply> {
    this.moves.push([from, to, id]);
    await this.#pass();
    const outcome = this.script.get("moved")?.shift();
    return outcome ? { refusal: outcome as Refusal } : { reply: "" };
  }

  hold(): void {
    this.#gate = [];
  }

  /** How many wait to be released. */
  get held(): number {
    return this.#gate?.length ?? 0;
  }

  /** Releases those that wait now, and all later ones with `forGood`. */
  release({ forGood = false } = {}): void {
    const waiting = this.#gate ?? [];
    this.#gate = forGood ? undefined : [];
    for (const go of waiting) go();
  }

  /** The texts received in a chat. */
  texts(place?: number): string[] {
    const there = this.received.filter((message) => place === undefined || message.place === String(place));
    return there.map(({ text }) => text);
  }

  #pass(): Promise<void> {
    return this.#gate ? new Promise((resolve) => this.#gate!.push(resolve)) : Promise.resolve();
  }
}

export interface Stage {
  readonly standIn: TelegramStandIn;
  readonly clock: NotedClock;
  readonly receiver: FakeReceiver;
  readonly channel: ChannelAdapter;
  /** The reported errors, as texts. */
  readonly told: string[];
  /** The waits requested from the clock, without the timeouts of calls. */
  readonly waits: () => number[];
  /** Another channel on the same stand-in, as after a restart or on another node. */
  again(): Stage;
}

/** The timeouts of a call and of a poll (25 s longer). */
const bounds = [10_000, 35_000];

/** A channel and its stand-in, which end with the test. The token must never be reported. By default the channel polls. */
export async function onStage(
  context: TestContext,
  { isOurs = true, ...given }: Partial<TelegramOptions> & { readonly isOurs?: boolean } = {},
  standInOptions: StandInOptions = {},
): Promise<Stage> {
  const standIn = await TelegramStandIn.start(standInOptions);
  const stages: Stage[] = [];
  const stage = (): Stage => {
    const clock = new NotedClock();
    const told: string[] = [];
    const onError = (error: unknown) => void told.push(everythingIn(error));
    const { url: apiRoot, token } = standIn;
    const channel = telegram({ token, apiRoot, clock, onError, ...given });
    channel.fetch?.(isOurs);
    const waits = () => clock.asked.filter((ms) => !bounds.includes(ms));
    const made = { standIn, clock, receiver: new FakeReceiver(), channel, told, waits, again: stage };
    stages.push(made);
    return made;
  };
  context.after(async () => {
    for (const { channel, receiver } of stages) {
      receiver.release({ forGood: true });
      await channel.stop!();
    }
    await standIn.stop();
    for (const { clock, told } of stages) {
      assert.equal(clock.timers, 0, "a timer is left");
      for (const text of told) assert.ok(!text.includes(standIn.token.slice(8)), text);
    }
  });
  return stage();
}

/** Everything of an error that a log could show: hidden fields, causes, stacks. */
function everythingIn(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth > 4) return String(error);
  const names = Object.getOwnPropertyNames(error).filter((name) => name !== "stack");
  const inner = names.map((name) => `${name}=${everythingIn((error as never)[name], depth + 1)}`);
  return [String(error), (error as Error).stack ?? "", ...inner].join("\n");
}

/** Resolves once the stand-in has received this many calls of a method. */
export function callsMade(standIn: TelegramStandIn, method: string, count: number): Promise<void> {
  return until(() => standIn.callsOf(method).length >= count, `${method} was called ${count} times`);
}
