import type { StreamName } from "../log.ts";
import type { StreamAdvanced } from "../sharing.ts";
import type { Dedicated } from "./connection/connections.ts";

/** Notifications are at least this far apart: each costs a round trip, and wakes every node. */
const gatherMs = 20;
const retryMs = 250;
/** PostgreSQL takes less than 8,000 bytes. */
const payloadBytesMax = 7_900;
/** Hints past this are dropped. */
const gatheredStreamsMax = 10_000;

const channel = "openseat";
const telling = `SELECT pg_notify('${channel}', payload) FROM unnest($1::text[]) AS payload`;

/** On the wire: the sender, and of each stream its name, its version, and 1 if something waits in the outbox. */
type Payload = readonly [from: string, ...grown: (readonly [StreamName, number, 0 | 1])[]];

/** Notifications among nodes, on one connection of each. They say where to look, and are never relied on. */
export class Hints {
  readonly #line: Dedicated;
  readonly #node: string;
  #gathered = new Map<StreamName, StreamAdvanced>();
  #timer: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #onGrown: ((grown: readonly StreamAdvanced[] | undefined) => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  isAlone = false;

  constructor(line: Dedicated, node: string) {
    this.#line = line;
    this.#node = node;
  }

  announce(grown: readonly StreamAdvanced[]): void {
    if (this.isAlone || this.#isClosed) return;
    for (const each of grown) {
      const { stream } = each;
      const told = this.#gathered.get(stream);
      if (!told && this.#gathered.size >= gatheredStreamsMax) continue;
      const version = Math.max(told?.version ?? 0, each.version);
      this.#gathered.set(stream, { stream, version, hasEffects: told?.hasEffects || each.hasEffects });
    }
    const waitMs = Math.max(0, this.#toldAt + gatherMs - performance.now());
    if (this.#gathered.size > 0) this.#timer ??= setTimeout(() => void this.#tell(), waitMs);
  }

  listen(onGrown: (grown: readonly StreamAdvanced[] | undefined) => void): void {
    this.#onGrown = onGrown;
    void this.#keepListening();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
  }

  async #tell(): Promise<void> {
    const payloads = payloadsOf(this.#node, this.#gathered.values());
    this.#gathered = new Map();
    this.#toldAt = performance.now();
    try {
      const session = await this.#line.session();
      await session.query({ text: telling, values: [payloads] });
    } catch {
      // The others check by themselves, now and then.
    }
    this.#timer = undefined;
    // Hints that were gathered meanwhile, one after the other: else an older version could arrive last.
    this.announce([]);
  }

  /** The connection is shared with the beats: one that dies silently is noticed when they are not answered. */
  async #keepListening(): Promise<void> {
    try {
      const session = await this.#line.session();
      await session.query({ text: `LISTEN ${channel}` });
      session.onNotification((payload) => this.#hear(payload));
      session.onLost(() => this.#listenAgain());
    } catch {
      return this.#listenAgain();
    }
    this.#onGrown?.(undefined);
  }

  #listenAgain(): void {
    if (!this.#isClosed) this.#retry = setTimeout(() => void this.#keepListening(), retryMs);
  }

  #hear(payload: string): void {
    const heard = read(payload);
    if (heard?.from !== this.#node) this.#onGrown?.(heard?.grown);
  }
}

/** Undefined for a malformed payload, such as a newer version may send: the listener then checks all streams. */
function read(payload: string): { readonly from: string; readonly grown: StreamAdvanced[] } | undefined {
  try {
    const [from, ...grown] = JSON.parse(payload) as Payload;
    if (!grown.every(isGrown)) return undefined;
    return {
      from,
      grown: grown.map(([stream, version, has]) => ({ stream, version, hasEffects: has === 1 })),
    };
  } catch {
    return undefined;
  }
}

function isGrown(said: unknown): boolean {
  const [stream, version] = said as readonly unknown[];
  return typeof stream === "string" && stream.includes("/") && Number.isSafeInteger(version);
}

function payloadsOf(node: string, grown: Iterable<StreamAdvanced>): string[] {
  const start = `[${JSON.stringify(node)}`;
  const payloads: string[] = [];
  let payload = start;
  let bytes = Buffer.byteLength(start);
  for (const { stream, version, hasEffects } of grown) {
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
