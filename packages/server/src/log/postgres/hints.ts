import type { StreamName } from "../log.ts";
import type { StreamAdvanced } from "../sharing.ts";
import type { Dedicated } from "./connection/connections.ts";

/** Minimum interval between notifications, because each costs a round trip and wakes every node. */
const gatherMs = 20;
const retryMs = 250;
/** PostgreSQL accepts less than 8,000 bytes. */
const payloadBytesMax = 7_900;
/** Further streams are dropped. */
const pendingStreamsMax = 10_000;

const channel = "openseat";
const notifyText = `SELECT pg_notify('${channel}', payload) FROM unnest($1::text[]) AS payload`;

/** Wire format: the sender, then the name and version of each stream, and 1 if it has effects in the outbox. */
type Payload = readonly [from: string, ...advanced: (readonly [StreamName, number, 0 | 1])[]];

/** Notifications among nodes, on one connection per node. They say where to look, and nothing relies on them. */
export class Hints {
  readonly #line: Dedicated;
  readonly #node: string;
  #pending = new Map<StreamName, StreamAdvanced>();
  #timer: NodeJS.Timeout | undefined;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  #onAdvanced: ((advanced: readonly StreamAdvanced[] | undefined) => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  isAlone = false;

  constructor(line: Dedicated, node: string) {
    this.#line = line;
    this.#node = node;
  }

  announce(advanced: readonly StreamAdvanced[]): void {
    if (this.isAlone || this.#isClosed) return;
    for (const each of advanced) {
      const { stream } = each;
      const known = this.#pending.get(stream);
      if (!known && this.#pending.size >= pendingStreamsMax) continue;
      const version = Math.max(known?.version ?? 0, each.version);
      this.#pending.set(stream, { stream, version, hasEffects: known?.hasEffects || each.hasEffects });
    }
    const waitMs = Math.max(0, this.#notifiedAt + gatherMs - performance.now());
    if (this.#pending.size > 0) this.#timer ??= setTimeout(() => void this.#notify(), waitMs);
  }

  listen(onAdvanced: (advanced: readonly StreamAdvanced[] | undefined) => void): void {
    this.#onAdvanced = onAdvanced;
    void this.#keepListening();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
  }

  async #notify(): Promise<void> {
    const payloads = payloadsOf(this.#node, this.#pending.values());
    this.#pending = new Map();
    this.#notifiedAt = performance.now();
    try {
      const session = await this.#line.session();
      await session.query(notifyText, [payloads]);
    } catch {
      // The other nodes also check periodically.
    }
    this.#timer = undefined;
    // Send what was collected meanwhile. One at a time, or an older version could arrive last.
    this.announce([]);
  }

  /** Shares its connection with node heartbeats: a connection that dies silently is noticed when they get no answer. */
  async #keepListening(): Promise<void> {
    try {
      const session = await this.#line.session();
      await session.query(`LISTEN ${channel}`);
      session.onNotification((payload) => this.#onNotification(payload));
      session.onLost(() => this.#listenAgain());
    } catch {
      return this.#listenAgain();
    }
    this.#onAdvanced?.(undefined);
  }

  #listenAgain(): void {
    if (!this.#isClosed) this.#retry = setTimeout(() => void this.#keepListening(), retryMs);
  }

  #onNotification(payload: string): void {
    const received = read(payload);
    if (received?.from !== this.#node) this.#onAdvanced?.(received?.advanced);
  }
}

/** Undefined for a malformed payload, for example from a newer version. The listener then checks all streams. */
function read(payload: string): { readonly from: string; readonly advanced: StreamAdvanced[] } | undefined {
  try {
    const [from, ...advanced] = JSON.parse(payload) as Payload;
    if (!advanced.every(isStreamAdvanced)) return undefined;
    return {
      from,
      advanced: advanced.map(([stream, version, has]) => ({ stream, version, hasEffects: has === 1 })),
    };
  } catch {
    return undefined;
  }
}

function isStreamAdvanced(said: unknown): boolean {
  const [stream, version] = said as readonly unknown[];
  return typeof stream === "string" && stream.includes("/") && Number.isSafeInteger(version);
}

function payloadsOf(node: string, advanced: Iterable<StreamAdvanced>): string[] {
  const start = `[${JSON.stringify(node)}`;
  const payloads: string[] = [];
  let payload = start;
  let bytes = Buffer.byteLength(start);
  for (const { stream, version, hasEffects } of advanced) {
    const part = `,${JSON.stringify([stream, version, hasEffects ? 1 : 0])}`;
    const partBytes = Buffer.byteLength(part);
    if (bytes + partBytes >= payloadBytesMax && payload !== start) {
      payloads.push(`${payload}]`);
      [payload, bytes] = [start, Buffer.byteLength(start)];
    }
    payload += part;
    bytes += partBytes;
  }
  return payload === start ? payloads : [...payloads, `${payload}]`];
}
