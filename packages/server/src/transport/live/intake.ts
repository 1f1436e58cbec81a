import type { WebSocket } from "ws";
import type { Clock, Timer } from "../../clock.ts";
import { Allowance } from "./allowance.ts";
import type { Sending } from "./sending.ts";

const limits = {
  /** Messages, pings and pongs that are handled per tick of the event loop. */
  framesPerTickMax: 16,
  /** Messages that wait for their answers; past it nothing is read until half are answered. */
  inFlightMax: 128,
  /** Answers that the client does not read; past it nothing is read from it. */
  unreadBytesMax: 65_536,
  pingsPerSecondMax: 10,
  /** How long a connection closed for too many pings stays open, so that the client learns why. */
  goodbyeMsMax: 1_000,
} as const;

/** LM5: how fast one WebSocket is read. A client that sends too fast is not read for a moment, so that TCP makes it wait. */
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

  /** Without a number, only answering bounds how many messages come. */
  allow(perSecond: number | undefined): void {
    // Proving the same again must not fill the bucket.
    if (perSecond === this.#perSecond) return;
    this.#perSecond = perSecond;
    this.#allowance = perSecond === undefined ? undefined : new Allowance(perSecond, this.#clock.elapsed());
  }

  /** A message has come; false when it is too late for it. */
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

  /** An answer is being made; `answered` has to follow. */
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
    // Messages that had already been read may have prolonged the rest.
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
   * One read brings up to 64 KiB, which is thousands of small frames, and `ws` emits either all of them in one tick or one
   * per tick. All would delay other clients; one costs a tenth of the throughput. So it changes every few frames.
   */
  #yieldNowAndThen(): void {
    const { _receiver: receiver } = this.#socket as unknown as { readonly _receiver: Receiver };
    if (!receiver._allowSynchronousEvents) this.#framesInTick = 0;
    receiver._allowSynchronousEvents = ++this.#framesInTick < limits.framesPerTickMax;
  }

  /** A ping or a pong has come; false when there are too many, and the connection is closed. */
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

/** The part of `ws` that reads frames. The field is private; a test notices when it is gone. */
interface Receiver {
  _allowSynchronousEvents: boolean;
}
