import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import { type ClientMessage, clientMessages } from "@openseat/protocol";
import type { WebSocket } from "ws";
import type { Hub } from "../../feed/hub.ts";
import type { FeedMessage, Subscriber } from "../../feed/watch.ts";
import { refusalFor } from "../../host/trouble.ts";
import { type Access, permit } from "../auth/access.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Identity, missingToken, type Proof } from "../auth/identity.ts";
import { type Answer, failure, success } from "../envelope.ts";
import type { Games } from "../games/games.ts";
import type { Origin } from "../queues/positions.ts";
import type { WaitingRooms } from "../queues/waiting-rooms.ts";
import { invalidInput, validator } from "../validation.ts";
import { Attendances } from "./attendances.ts";

export interface LiveParts {
  readonly games: Games;
  readonly waiting: WaitingRooms;
  readonly hub: Hub;
  readonly authenticator: Authenticator;
  readonly onFault: (error: unknown) => void;
}

const limits = {
  /** Asked and not yet answered on one connection; past it the server reads no further until it has answered. */
  inFlightMax: 1_024,
  watchesMax: 100,
  /** Answers that the other side does not take; past it the server reads no further from it. */
  unreadBytesMax: 1_048_576,
} as const;

/** AU2: which roles may send which message. */
export const messageAccess: Readonly<Record<ClientMessage["type"], Access>> = {
  auth: "public",
  join: ["person"],
  leave: ["person"],
  "can-join": ["person"],
  enter: ["person"],
  heartbeat: ["person"],
  attend: ["person"],
  unattend: ["person"],
  watch: "public",
  unwatch: "public",
  ping: "public",
};

const faultsByType = new Map(
  Object.entries(clientMessages).map(([type, schema]) => [type, validator(schema)]),
);

/** By the type that it says it is: of a union, a validator could only say that no branch fits. */
function faultsOf(message: object): Refusal | undefined {
  const { type } = message as { type?: unknown };
  const faults = faultsByType.get(type as string);
  return faults
    ? faults(message)
    : invalidInput("message", "type", `must be one of ${[...faultsByType.keys()].join(", ")}`);
}

/** Who opened the connection, and from where. */
interface Opening {
  readonly identity: Identity | null;
  readonly origin: Origin;
}

/** One WebSocket: messages in, answers and changes out. */
export class LiveConnection {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #parts: LiveParts;
  readonly #watches = new Map<string, { close(): void }>();
  readonly #subscriber: Subscriber;
  readonly #attendances: Attendances;
  readonly #origin: Origin;
  #identity: Identity | null;
  #inFlight = 0;
  #corked = false;
  #isDraining = false;

  constructor(socket: WebSocket, wire: Socket, { identity, origin }: Opening, parts: LiveParts) {
    this.#socket = socket;
    this.#wire = wire;
    this.#identity = identity;
    this.#origin = origin;
    this.#parts = parts;
    const line = {
      write: (text: string) => this.#write(text),
      onFault: parts.onFault,
      get backlogBytes() {
        return socket.bufferedAmount;
      },
    };
    this.#attendances = new Attendances(parts.waiting, line, limits.watchesMax);
    this.#subscriber = {
      send: (message: FeedMessage) => this.#write(message.json),
      get backlogBytes() {
        return socket.bufferedAmount;
      },
      drop: (reason) => socket.close(1013, reason),
    };
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : String(data)));
    socket.on("close", () => this.#close());
    socket.on("error", () => socket.terminate());
  }

  /** Reads on once what was asked is answered, and the answers are taken. */
  #readOn(): void {
    if (!this.#socket.isPaused || this.#inFlight >= limits.inFlightMax / 2) return;
    if (this.#socket.bufferedAmount > limits.unreadBytesMax) this.#waitForDrain();
    else this.#socket.resume();
  }

  #waitForDrain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#wire.once("drain", () => {
      this.#isDraining = false;
      this.#readOn();
    });
  }

  #receive(text: string | undefined): void {
    if (this.#socket.bufferedAmount > limits.unreadBytesMax && !this.#socket.isPaused) {
      this.#socket.pause();
      this.#waitForDrain();
    }
    const message = parse(text);
    if ("refusal" in message) {
      this.#answer(message.id, failure(message.refusal));
      return;
    }
    if (++this.#inFlight >= limits.inFlightMax) this.#socket.pause();
    const proof = this.#prove(message);
    const handled =
      proof instanceof Promise ? proof.then((it) => this.#handle(message, it)) : this.#handle(message, proof);
    handled
      .catch((error: unknown) => failure(this.#refusalFor(error)))
      .then((answer) => {
        this.#answer(message.id, answer);
        this.#inFlight--;
        this.#readOn();
      });
  }

  /** Who sends this message: the token it carries, else the one that the connection was opened or proved with. */
  #prove(message: ClientMessage): Proof | Promise<Proof> {
    if ("token" in message && message.token !== undefined)
      return this.#parts.authenticator.prove(message.token);
    return this.#identity ? this.#parts.authenticator.renew(this.#identity) : { refusal: missingToken };
  }

  async #handle(message: ClientMessage, proof: Proof): Promise<Answer> {
    switch (message.type) {
      case "auth":
        return this.#authenticate(proof);
      case "watch":
        return this.#watch(message.game, message.after);
      case "unwatch":
        return this.#unwatch(message.game);
      case "ping":
        return success(200, "Here.", {});
    }
    const permitted = permit(proof, messageAccess[message.type]);
    if ("refusal" in permitted) return failure(permitted.refusal);
    const { games } = this.#parts;
    switch (message.type) {
      case "join":
        return games.join(permitted.identity, message.game, message.key);
      case "leave":
        return games.leave(permitted.identity, message.game, message.key);
      case "can-join":
        return games.canJoin(permitted.identity, message.game);
      case "enter":
        return this.#enter(permitted.identity, message.queue, message.key);
      case "heartbeat":
        return this.#parts.waiting.positions.heartbeat(permitted.identity, message.position);
      case "attend":
        return this.#attendances.attend(permitted.identity, message.position);
      case "unattend":
        return this.#attendances.unattend(message.position);
    }
  }

  #enter(identity: Identity, queue: string, key: string | undefined): Answer | Promise<Answer> {
    return this.#parts.waiting.positions.enter(identity, queue, {
      given: undefined,
      key,
      origin: this.#origin,
    });
  }

  #authenticate(proof: Proof): Answer {
    if ("refusal" in proof) return failure(proof.refusal);
    this.#identity = proof.identity;
    const { role, by, name } = proof.identity;
    return success(200, "Welcome.", { role, ...(role === "person" && { person: { id: by, name } }) });
  }

  async #watch(game: string, after: number | undefined): Promise<Answer> {
    if (this.#watches.size >= limits.watchesMax && !this.#watches.has(game)) {
      const message = `One connection can watch ${limits.watchesMax} games at most.`;
      return failure({ code: "limit.watches", message });
    }
    // The place is taken before the wait: many in one breath would all find room.
    const place = { close() {} };
    this.#watches.get(game)?.close();
    this.#watches.set(game, place);
    const lens = await this.#parts.games.lens(game);
    const isWanted = this.#watches.get(game) === place;
    if ("refusal" in lens) {
      if (isWanted) this.#watches.delete(game);
      return failure(lens.refusal);
    }
    // Unwatched, watched anew or disconnected meanwhile: whoever came last has the say.
    if (isWanted) {
      this.#watches.set(game, this.#parts.hub.watch(`game/${game}`, lens, this.#subscriber, after));
    }
    return success(200, "You watch the game.", { game });
  }

  #unwatch(game: string): Answer {
    this.#watches.get(game)?.close();
    this.#watches.delete(game);
    return success(200, "You no longer watch the game.", { game });
  }

  #answer(id: number | null, { status, body, replayed }: Answer): void {
    this.#write(JSON.stringify({ id, type: "answer", status, ...(replayed && { replayed }), body }));
  }

  #refusalFor(error: unknown): Refusal {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.#parts.onFault(error);
    return refusal;
  }

  /** What is written in one go of the event loop leaves in one packet: a system call each would cost more than the rest. */
  #write(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#wire.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#wire.uncork();
      });
    }
    this.#socket.send(text);
  }

  #close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#attendances.close();
  }
}

function parse(text: string | undefined): ClientMessage | { id: number | null; refusal: Refusal } {
  let message: unknown;
  try {
    if (text !== undefined) message = JSON.parse(text);
  } catch {
    // Not JSON: refused below, as anything else that is not an object.
  }
  if (typeof message !== "object" || message === null) {
    return { id: null, refusal: invalidInput("message", "message", "must be one JSON object, as text") };
  }
  const refusal = faultsOf(message);
  if (!refusal) return message as ClientMessage;
  const { id } = message as { id?: unknown };
  return { id: Number.isSafeInteger(id) ? (id as number) : null, refusal };
}
