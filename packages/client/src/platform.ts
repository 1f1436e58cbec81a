/** What the client needs from its platform. Browsers and Node have all of it; tests bring their own. */

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export type Fetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: object) => void): void;
}

export type SocketClass = new (url: string) => Socket;

/** Looked up when it is needed: Node has none before version 22. */
export function platformWebSocket(): SocketClass | undefined {
  return (globalThis as { WebSocket?: SocketClass }).WebSocket;
}

export interface Clock {
  /** Milliseconds from any starting point. */
  now(): number;
  /** Runs a callback once, later. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Calls back when the network or the reader returns, so that the client does not wait out its backoff. */
export function onComeback(comeback: () => void): () => void {
  if (typeof addEventListener !== "function") return () => {};
  const onVisible = () => {
    if (document.visibilityState === "visible") comeback();
  };
  const page = typeof document === "undefined" ? undefined : document;
  addEventListener("online", comeback);
  page?.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener("online", comeback);
    page?.removeEventListener("visibilitychange", onVisible);
  };
}

/** Calls back when another tab has changed the storage. */
export function onStoredElsewhere(changed: () => void): () => void {
  if (typeof addEventListener !== "function" || typeof document === "undefined") return () => {};
  addEventListener("storage", changed);
  return () => removeEventListener("storage", changed);
}

/** Does not use `randomUUID`, which pages without HTTPS do not have. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
