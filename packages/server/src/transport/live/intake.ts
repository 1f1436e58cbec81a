import type { WebSocket } from "ws";
import type { Clock, Timer } from "../../clock.ts";
import { Allowance } from "./allowance.ts";
import type { Sending } from "./sending.ts";

const limits = {
  /** Messages, pings and pongs that are handled per tick of the event loop. */
  framesPerTickMax: 16,
  /** Messages waiting for their responses. Past this, nothing is read until half are answered. */
  inFlightMax: 128,
  /** Responses that the client has not read. Past this, nothing is read from the client. */
  unreadBytesMax: 65_536,
  pingsPerSecondMax: 10,
  /** How long a connection that was closed for too many pings stays open, so that the client learns why. */
  goodbyeMsMax: 1_000,
} as const;

/** LM5: limits how fast a WebSocket is read. A client that sends too fast is not read for a moment, so that TCP slows it down. */
export class Intake {
  readonly #socket: WebSocket;
  readonly #sending: Sending;
  readonly #clock: Clock;
  readonly #pings: Allowance;
  #perSecond: number | undefined;
  #allowance: Allowance | undefined;
  #framesInTick = 0;
  #inFlight = 0;
  #isDraining = false;
  #restUntil = 0;
  #timer: Timer | undefined;

  constructor(socket: WebSocket, sending: Sending, clock: Clock) {
    this.#socket = socket;
    this.#sending = sending;
    this.#clock = clock;
    this.#pings = new Allowance(limits.pingsPerSecondMax, clock.elapsed());
    socket.on("ping", (data) => void (this.#takePing() && !this.#isBehind && socket.pong(data)));
    socket.on("pong", () => void this.#takePing());
    socket.on("close", () => this.#timer?.cancel());
  }

  /** Undefined removes the rate limit; `inFlightMax` still applies. */
  allow(perSecond: number | undefined): void {
    // Sending the same token again must not refill the bucket.
    if (perSecond === this.#perSecond) return;
    this.#perSecond = perSecond;
    this.#allowance = perSecond === undefined ? undefined : new Allowance(perSecond, this.#clock.elapsed());
  }

  /** Handles an arriving message; false if the connection is closing. */
  take(): boolean {
    const socket = this.#socket;
    this.#yieldNowAndThen();
    if (socket.readyState !== socket.OPEN) return false;
    const debtMs = this.#allowance?.spend(this.#clock.elapsed()) ?? 0;
    if (debtMs > 0) this.#rest(debtMs);
    if (this.#isBehind && !socket.isPaused) {
      socket.pause();
      this.#waitForDrain();
    }
    return true;
  }

  /** A response is being made; call `answered` afterwards. */
  asked(): void {
    if (++this.#inFlight >= limits.inFlightMax) this.#socket.pause();
  }

  answered(): void {
    this.#inFlight--;
    this.#readOn();
  }

  #rest(ms: number): void {
    this.#restUntil = Math.max(this.#restUntil, this.#clock.elapsed() + ms);
    this.#socket.pause();
    this.#timer ??= this.#clock.after(ms, this.#endRest);
  }

  readonly #endRest = (): void => {
    const leftMs = this.#restUntil - this.#clock.elapsed();
    // Messages that had already been read may have extended the pause.
    this.#timer = leftMs > 0 ? this.#clock.after(leftMs, this.#endRest) : undefined;
    this.#readOn();
  };

  get #isBehind(): boolean {
    return this.#sending.backlogBytes > limits.unreadBytesMax;
  }

  #readOn(): void {
    if (!this.#socket.isPaused || this.#timer || this.#inFlight >= limits.inFlightMax / 2) return;
    if (this.#isBehind) this.#waitForDrain();
    else this.#socket.resume();
  }

  #waitForDrain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#sending.onceDrained(() => {
      this.#isDraining = false;
      this.#readOn();
    });
  }

  /**
   * One read brings up to 64 KiB, which is thousands of small frames. `ws` emits either all of them in one tick, which delays
   * other clients, or one per tick, which costs a tenth of the throughput. So the mode alternates every few frames.
   */
  #yieldNowAndThen(): void {
    const { _receiver: receiver } = this.#socket as unknown as { readonly _receiver: Receiver };
    if (!receiver._allowSynchronousEvents) this.#framesInTick = 0;
    receiver._allowSynchronousEvents = ++this.#framesInTick < limits.framesPerTickMax;
  }

  /** Handles a ping or a pong; false if there are too many, and the connection is closed. */
  #takePing(): boolean {
    const socket = this.#socket;
    this.#yieldNowAndThen();
    if (socket.readyState !== socket.OPEN) return false;
    if (this.#pings.spend(this.#clock.elapsed()) === 0) return true;
    this.#sending.end(1008, "Too many pings.");
    socket.pause();
    this.#timer?.cancel();
    this.#timer = this.#clock.after(limits.goodbyeMsMax, () => socket.terminate());
    return false;
  }
}

/** The part of `ws` that reads frames. The field is private; a test fails if it disappears. */
interface Receiver {
  _allowSynchronousEvents: boolean;
}
