import type { Clock } from "../clock.ts";
import { Backoff } from "../host/outbox/backoff.ts";
import type { Bot, TelegramApi } from "./telegram-api.ts";
import { Patience } from "./telegram-patience.ts";
import { type Hearing, type Reading, readUpdate } from "./telegram-updates.ts";

interface FetchingDeps {
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
export class Fetching {
  readonly #deps: FetchingDeps;
  #known: Listener | undefined;
  /** Undefined while another node polls. */
  #turn: AbortController | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(deps: FetchingDeps) {
    this.#deps = deps;
  }

  begin(known: Listener): void {
    this.#known = known;
    this.#poll();
  }

  take(isOurs: boolean): void {
    if (isOurs === (this.#turn !== undefined)) return;
    this.#turn?.abort();
    this.#turn = isOurs ? new AbortController() : undefined;
    this.#poll();
  }

  ended(): Promise<void> {
    return this.#polling;
  }

  #poll(): void {
    if (!this.#known || !this.#turn) return;
    const { onError } = this.#deps;
    const over = AbortSignal.any([this.#deps.over, this.#turn.signal]);
    const deps = { ...this.#deps, ...this.#known, over };
    const patience = new Patience(deps);
    // Polls run one after the other, so that no message overtakes an earlier one of its chat.
    this.#polling = this.#polling.then(() => poll({ ...deps, patience })).catch(onError);
  }
}

/** Chats whose messages are handled concurrently. */
const chatsAtOnceMax = 16;
const restMs = 1_000;

/** A message is given up after this many server faults. */
const faultsMax = 10;

interface Listener {
  readonly bot: Bot;
  readonly hearing: Hearing;
}

interface PollingDeps extends FetchingDeps, Listener {
  readonly patience: Patience;
}

/** Asking for the next batch makes Telegram delete the previous one, so handle all of it first. */
async function poll(deps: PollingDeps): Promise<void> {
  const { api, bot, patience, pollSeconds, over } = deps;
  await patience.insist(() => api.unannounce(over));
  let offset: number | undefined;
  while (!over.aborted) {
    const updates = await patience.insist(() => api.updates(offset, pollSeconds, over));
    if (updates === undefined || updates.length === 0) continue;
    const readings = updates.map((update) => readUpdate(update, bot));
    if (!(await hearAll(readings, deps))) return;
    // It may be lower than before: after a quiet week, Telegram's ids start over.
    const next = nextOf(readings);
    // Receiving the same batch again must not become a busy loop.
    if (next === undefined || (offset !== undefined && next <= offset)) await patience.pause(restMs);
    offset = next ?? offset;
  }
}

function nextOf(readings: readonly Reading[]): number | undefined {
  const ids = readings.flatMap(({ id }) => id ?? []);
  return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

/** Whether everything was handled. Chats run concurrently, the messages of a chat in order. */
async function hearAll(readings: readonly Reading[], deps: PollingDeps): Promise<boolean> {
  const next = byChat(readings).values();
  const workers = Array.from({ length: chatsAtOnceMax }, async () => {
    for (const chat of next) await hearChat(chat, deps);
  });
  await Promise.all(workers);
  return !deps.over.aborted;
}

/** A message that is refused for now is retried before the next one, so that none overtakes it. */
async function hearChat(readings: readonly Reading[], deps: PollingDeps): Promise<void> {
  const { hearing, patience, over } = deps;
  for (const reading of readings) {
    const backoff = new Backoff();
    for (let failures = 1; !over.aborted; failures++) {
      const refusal = await hearing.hear(reading);
      if (!refusal) break;
      // CH7: a permanent server fault would block the chat forever. An unreachable store is different: it comes back.
      if (refusal.code === "server.fault" && failures >= faultsMax) {
        hearing.tell(reading, refusal.message);
        break;
      }
      const { retryAfterSeconds } = refusal;
      await patience.pause(retryAfterSeconds === undefined ? backoff.next() : retryAfterSeconds * 1_000);
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
