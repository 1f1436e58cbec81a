import type { Clock } from "../clock.ts";
import { Backoff } from "../host/outbox/backoff.ts";
import type { Bot, TelegramApi } from "./telegram-api.ts";
import { TelegramRetries } from "./telegram-retries.ts";
import { type Reading, readUpdate, type UpdateHandler } from "./telegram-updates.ts";

interface PollerDeps {
  readonly api: TelegramApi;
  readonly clock: Clock;
  /** How long Telegram keeps a request open while no message comes. */
  readonly pollSeconds: number;
  readonly onError: (error: unknown) => void;
  /** Aborted at shutdown. */
  readonly over: AbortSignal;
}

/**
 * Polls for messages while this node is the leader. If two nodes poll, Telegram rejects one of them. After a change of leader,
 * unconfirmed messages arrive again with the same ids: none is lost, and none takes effect twice.
 */
export class TelegramPoller {
  readonly #deps: PollerDeps;
  #known: Listener | undefined;
  /** Undefined while another node polls. */
  #active: AbortController | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(deps: PollerDeps) {
    this.#deps = deps;
  }

  begin(known: Listener): void {
    this.#known = known;
    this.#poll();
  }

  take(isOurs: boolean): void {
    if (isOurs === (this.#active !== undefined)) return;
    this.#active?.abort();
    this.#active = isOurs ? new AbortController() : undefined;
    this.#poll();
  }

  ended(): Promise<void> {
    return this.#polling;
  }

  #poll(): void {
    if (!this.#known || !this.#active) return;
    const { onError } = this.#deps;
    const over = AbortSignal.any([this.#deps.over, this.#active.signal]);
    const deps = { ...this.#deps, ...this.#known, over };
    const retries = new TelegramRetries(deps);
    // Polls run one after the other, so that no message overtakes an earlier one of its chat.
    this.#polling = this.#polling.then(() => poll({ ...deps, retries })).catch(onError);
  }
}

/** Chats whose messages are handled concurrently. */
const chatsAtOnceMax = 16;
const restMs = 1_000;

/** A message is given up after this many server faults. */
const faultsMax = 10;

interface Listener {
  readonly bot: Bot;
  readonly handler: UpdateHandler;
}

interface PollDeps extends PollerDeps, Listener {
  readonly retries: TelegramRetries;
}

/** Asking for the next batch makes Telegram delete the previous one, so handle all of it first. */
async function poll(deps: PollDeps): Promise<void> {
  const { api, bot, retries, pollSeconds, over } = deps;
  await retries.untilDone(() => api.unannounce(over));
  let offset: number | undefined;
  while (!over.aborted) {
    const updates = await retries.untilDone(() => api.updates(offset, pollSeconds, over));
    if (updates === undefined || updates.length === 0) continue;
    const readings = updates.map((update) => readUpdate(update, bot));
    if (!(await handleAll(readings, deps))) return;
    // It may be lower than before: after a quiet week, Telegram's ids start over.
    const next = nextOf(readings);
    // Receiving the same batch again must not become a busy loop.
    if (next === undefined || (offset !== undefined && next <= offset)) await retries.pause(restMs);
    offset = next ?? offset;
  }
}

function nextOf(readings: readonly Reading[]): number | undefined {
  const ids = readings.flatMap(({ id }) => id ?? []);
  return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

/** Whether everything was handled. Chats run concurrently, the messages of a chat in order. */
async function handleAll(readings: readonly Reading[], deps: PollDeps): Promise<boolean> {
  const next = byChat(readings).values();
  const workers = Array.from({ length: chatsAtOnceMax }, async () => {
    for (const chat of next) await handleChat(chat, deps);
  });
  await Promise.all(workers);
  return !deps.over.aborted;
}

/** A message that is refused for now is retried before the next one, so that none overtakes it. */
async function handleChat(readings: readonly Reading[], deps: PollDeps): Promise<void> {
  const { handler, retries, over } = deps;
  for (const reading of readings) {
    const backoff = new Backoff();
    for (let failures = 1; !over.aborted; failures++) {
      const refusal = await handler.handle(reading);
      if (!refusal) break;
      // CH7: a permanent server fault would block the chat forever. An unreachable store is different: it comes back.
      if (refusal.code === "server.fault" && failures >= faultsMax) {
        handler.report(reading, refusal.message);
        break;
      }
      const { retryAfterSeconds } = refusal;
      await retries.pause(retryAfterSeconds === undefined ? backoff.next() : retryAfterSeconds * 1_000);
    }
  }
}

/** A group that moves within the batch is the same chat under both addresses. */
function byChat(readings: readonly Reading[]): (readonly Reading[])[] {
  const chats = new Map<string, Reading[]>();
  for (const reading of readings) {
    const place = placeOf(reading);
    const chat = chats.get(place) ?? [];
    chat.push(reading);
    chats.set(place, chat);
    if (reading.kind === "moved" && !chats.has(reading.to)) chats.set(reading.to, chat);
  }
  return [...new Set(chats.values())];
}

function placeOf(reading: Reading): string {
  if (reading.kind === "message") return reading.message.place;
  return reading.kind === "moved" ? reading.from : "";
}
