import type { Pulse, WaitState } from "../state.ts";
import { fetchState } from "./fetch-state.ts";
import { askDelayMs, retryDelayMs, silenceLimitMs } from "./pace.ts";

export type Link = "connected" | "reconnecting";

/** Callbacks of the page. */
export interface ConnectionEvents {
  onState(state: WaitState): void;
  onPulse(pulse: Pulse): void;
  onMissing(): void;
  onLink(link: Link): void;
}

/** Messages between the tabs of one browser. */
type TabMessage =
  | { readonly kind: "took" | "left" }
  | { readonly kind: "state"; readonly state: WaitState }
  | { readonly kind: "pulse"; readonly pulse: Pulse };

/** A stream without a first event by then is buffered by a proxy. */
const firstWordMs = 8_000;

/** Where streams keep failing, the page polls and retries streams less and less often. */
const streamPauseMs = 2_500;
const streamPauseLongestMs = 300_000;

/** After this many silent rounds in a row, a stream counts as dead even if it looks open. */
const silentRounds = 3;

/**
 * Keeps a place alive and receives its state, by a stream or, where streams fail, by polling. Only the tab that was
 * visible last has a stream, and the others listen to it: browsers open at most six HTTP/1.1 connections per server, so
 * with one stream per tab the seventh tab would hang.
 */
export class Connection {
  readonly #address: string;
  readonly #events: ConnectionEvents;
  readonly #tabs = "BroadcastChannel" in window ? new BroadcastChannel("openseat-wait") : undefined;
  #askAgainSeconds: number;
  #stream: EventSource | undefined;
  #streamFailures = 0;
  #streamAfterMs = 0;
  #isListening = false;
  #silences = 0;
  #failures = 0;
  #isAsking = false;
  #isOver = false;
  #timer = 0;

  /** `address` is the line's; its state and its stream are below it. */
  constructor(address: string, askAgainSeconds: number, events: ConnectionEvents) {
    this.#address = address;
    this.#askAgainSeconds = askAgainSeconds;
    this.#events = events;
    this.#tabs?.addEventListener("message", ({ data }) => {
      if (data.address === address) this.#onTab(data.message);
    });
  }

  /** Opens the stream in this tab, because the person is looking at it. */
  take(): void {
    this.#streamAfterMs = 0;
    this.#openStream();
  }

  /** Polls at once, when the network or the person has come back. */
  async askNow(): Promise<void> {
    const isAnswered = await this.#ask();
    if (isAnswered && !this.#stream && !this.#isOver) this.take();
  }

  /** Hands the stream over to another tab before this page closes. */
  leave(): void {
    if (this.#stream) this.#broadcast({ kind: "left" });
    this.#rest();
  }

  #openStream(): void {
    this.#stream?.close();
    this.#isListening = false;
    if (!("EventSource" in window)) {
      this.#streamAfterMs = Number.POSITIVE_INFINITY;
      void this.#ask();
      return;
    }
    const stream = new EventSource(`${this.#address}/events`);
    this.#stream = stream;
    this.#silences = 0;
    this.#broadcast({ kind: "took" });
    stream.addEventListener("state", ({ data }) =>
      this.#onStreamed({ kind: "state", state: JSON.parse(data) }),
    );
    stream.addEventListener("pulse", ({ data }) =>
      this.#onStreamed({ kind: "pulse", pulse: JSON.parse(data) }),
    );
    // Close it here: the browser's own retry would reconnect everybody in the same second.
    stream.addEventListener("error", () => this.#onStreamFailure());
    this.#wakeAfter(firstWordMs, () => this.#onStreamFailure());
  }

  #onStreamed(message: TabMessage): void {
    this.#silences = 0;
    this.#streamFailures = 0;
    this.#broadcast(message);
    this.#receive(message);
  }

  #onStreamFailure(): void {
    this.#stream?.close();
    this.#stream = undefined;
    const wasAlive = this.#streamFailures === 0;
    this.#streamFailures += 1;
    const pauseMs = Math.min(streamPauseLongestMs, streamPauseMs * 2 ** this.#streamFailures);
    this.#streamAfterMs = Date.now() + pauseMs * Math.random();
    // Where streams never worked, polling does: do not report a lost connection.
    if (wasAlive) this.#onFailure(undefined);
    else this.#wakeAfter(1_000 * Math.random(), () => void this.#ask());
  }

  #onFailure(retryAfterSeconds: number | undefined): void {
    this.#failures += 1;
    this.#events.onLink("reconnecting");
    const retry = { failures: this.#failures, askAgainSeconds: this.#askAgainSeconds, retryAfterSeconds };
    this.#wakeAfter(retryDelayMs({ ...retry, chance: Math.random() }), () => void this.#ask());
  }

  /** Polls; returns whether there was an answer. */
  async #ask(): Promise<boolean> {
    if (this.#isAsking) return false;
    this.#isAsking = true;
    const answer = await fetchState(`${this.#address}/state`);
    this.#isAsking = false;
    if (answer.kind === "failure") {
      this.#onFailure(answer.retryAfterSeconds);
      return false;
    }
    if (answer.kind === "state") {
      this.#broadcast(answer);
      this.#receive(answer);
    } else {
      this.#rest();
      this.#events.onMissing();
    }
    return true;
  }

  /** Handles a message from the stream, a poll or another tab. */
  #receive(message: TabMessage): void {
    this.#failures = 0;
    this.#events.onLink("connected");
    if (message.kind === "state") {
      this.#askAgainSeconds = message.state.askAgainSeconds;
      this.#isOver = message.state.status === "gone" || message.state.status === "active";
      this.#events.onState(message.state);
    }
    if (message.kind === "pulse") this.#events.onPulse(message.pulse);
    if (this.#isOver) this.#rest();
    else this.#goOn();
  }

  /** Plans what to do if no further message arrives. */
  #goOn(): void {
    if (this.#stream) {
      this.#wakeAfter(silenceLimitMs(this.#askAgainSeconds), () => this.#onSilence());
    } else if (this.#isListening) {
      this.#wakeAfter(silenceLimitMs(this.#askAgainSeconds), () => this.take());
    } else if (Date.now() >= this.#streamAfterMs) {
      this.#openStream();
    } else {
      this.#wakeAfter(askDelayMs(this.#askAgainSeconds, Math.random()), () => void this.#ask());
    }
  }

  #onSilence(): void {
    this.#silences += 1;
    if (this.#silences < silentRounds) void this.#ask();
    else this.#openStream();
  }

  /** Stops everything: the place is over or the page is closing. */
  #rest(): void {
    this.#isOver = true;
    this.#stream?.close();
    this.#stream = undefined;
    window.clearTimeout(this.#timer);
  }

  #onTab(message: TabMessage): void {
    if (message.kind === "state" || message.kind === "pulse") {
      this.#receive(message);
    } else if (message.kind === "left" && !this.#isOver) {
      this.#wakeAfter(1_000 * Math.random(), () => this.take());
    } else if (!this.#isOver) {
      this.#stream?.close();
      this.#stream = undefined;
      this.#isListening = true;
      this.#goOn();
    }
  }

  #broadcast(message: TabMessage): void {
    this.#tabs?.postMessage({ address: this.#address, message });
  }

  #wakeAfter(delayMs: number, action: () => void): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(action, delayMs);
  }
}
