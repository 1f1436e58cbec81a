import type { Clock } from "../clock.ts";
import { Backoff } from "../host/outbox/backoff.ts";
import type { Bot, TelegramApi } from "./telegram-api.ts";
import { Patience } from "./telegram-patience.ts";
import { type Hearing, type Reading, readUpdate } from "./telegram-updates.ts";

interface FetchingParts {
  readonly api: TelegramApi;
  readonly clock: Clock;
  readonly pollSeconds: number;
  readonly onError: (error: unknown) => void;
  /** When it is, all is over. */
  readonly over: AbortSignal;
}

/**
 * Fetches messages while that is for this node to do. Of two that fetch, Telegram turns one away for the other, over and over.
 * When it goes from one node to another, what was not confirmed comes again there, and is the same message by its id: so
 * nothing is lost, and nothing takes effect twice, also while both think that it is theirs.
 */
export class Fetching {
  readonly #parts: FetchingParts;
  /** Undefined until it is known who the bot is, and who hears. */
  #known: { readonly bot: Bot; readonly hearing: Hearing } | undefined;
  /** Undefined while it is not for this node to do. */
  #turn: AbortController | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(parts: FetchingParts) {
    this.#parts = parts;
  }

  begin(bot: Bot, hearing: Hearing): void {
    this.#known = { bot, hearing };
    this.#poll();
  }

  take(isOurs: boolean): void {
    if (isOurs === (this.#turn !== undefined)) return;
    this.#turn?.abort();
    this.#turn = isOurs ? new AbortController() : undefined;
    this.#poll();
  }

  /** Resolves when nothing of it is under way any more. */
  ended(): Promise<void> {
    return this.#polling;
  }

  #poll(): void {
    if (!this.#known || !this.#turn) return;
    const { api, clock, pollSeconds, onError } = this.#parts;
    const over = AbortSignal.any([this.#parts.over, this.#turn.signal]);
    const parts = { ...this.#known, api, pollSeconds, over, patience: new Patience(clock, over, onError) };
    // One after the other: what the one before still hears would be overtaken by what comes after it in the same chat.
    this.#polling = this.#polling.then(() => poll(parts)).catch(onError);
  }
}

/** Of so many chats messages are heard at the same time. */
const chatsAtOnceMax = 16;
const restMs = 1_000;

/** A message that fails so often by a fault of ours is left. */
const faultsMax = 10;

interface PollingParts {
  readonly api: TelegramApi;
  readonly bot: Bot;
  readonly hearing: Hearing;
  readonly patience: Patience;
  /** So long Telegram keeps the request while nothing comes. */
  readonly pollSeconds: number;
  readonly over: AbortSignal;
}

/**
 * Fetches updates until all is over. Asking for those after a batch makes Telegram forget the batch: it is asked for
 * only when all of it has been heard.
 */
async function poll(parts: PollingParts): Promise<void> {
  const { api, bot, patience, pollSeconds, over } = parts;
  await patience.insist(() => api.unannounce(over));
  let offset: number | undefined;
  while (!over.aborted) {
    const updates = await patience.insist(() => api.updates(offset, pollSeconds, over));
    if (updates === undefined || updates.length === 0) continue;
    const readings = updates.map((update) => readUpdate(update, bot));
    if (!(await hearAll(readings, parts))) return;
    // That of the batch, also when it is lower than before: ids begin anew somewhere else after a quiet week.
    const next = nextOf(readings);
    // The same again and again must not become a loop that never rests.
    if (next === undefined || (offset !== undefined && next <= offset)) await patience.pause(restMs);
    offset = next ?? offset;
  }
}

function nextOf(readings: readonly Reading[]): number | undefined {
  const ids = readings.flatMap(({ id }) => id ?? []);
  return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

/** Whether all of it was heard. Chat by chat side by side, within a chat one after the other. */
async function hearAll(readings: readonly Reading[], parts: PollingParts): Promise<boolean> {
  const chats = byChat(readings);
  const next = chats.values();
  const lanes = Array.from({ length: Math.min(chatsAtOnceMax, chats.length) }, async () => {
    for (const chat of next) await hearChat(chat, parts);
  });
  await Promise.all(lanes);
  return !parts.over.aborted;
}

/** What is refused for now is heard again before what comes after it, so that nothing overtakes it. */
async function hearChat(
  readings: readonly Reading[],
  { hearing, patience, over }: PollingParts,
): Promise<void> {
  for (const reading of readings) {
    const backoff = new Backoff();
    for (let failures = 1; !over.aborted; failures++) {
      const refusal = await hearing.hear(reading);
      if (!refusal) break;
      // CH7: a store that is away comes back; by a fault of ours one message would hold up all chats for ever.
      if (refusal.code === "server.fault" && failures >= faultsMax) {
        hearing.giveUp(reading, refusal);
        break;
      }
      const { retryAfterSeconds } = refusal;
      await patience.pause(retryAfterSeconds === undefined ? backoff.next() : retryAfterSeconds * 1_000);
    }
  }
}

/** A group that moves within the batch is one chat under both addresses: that it moves comes first. */
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
