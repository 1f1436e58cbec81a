import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import { type ClientMessage, clientMessages } from "@openseat/protocol";
import type { WebSocket } from "ws";
import type { FeedMessage } from "../../feed/watch.ts";
import { refusalFor } from "../../host/trouble.ts";
import { type Access, permit } from "../auth/access.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Identity, missingToken, type Proof, personOf } from "../auth/identity.ts";
import { type Answer, failure, success } from "../envelope.ts";
import type { Origin } from "../queues/positions.ts";
import type { WaitingRooms } from "../queues/waiting-rooms.ts";
import { invalidInput, validator } from "../validation.ts";
import { Attendances } from "./attendances.ts";
import { feedFrame, textFrame } from "./frames.ts";
import { RoomWatches, type Watchable } from "./room-watches.ts";
import { Sending } from "./sending.ts";
import { roomOf, watchedKinds } from "./watch-room.ts";

export interface LiveParts extends Watchable {
  readonly waiting: WaitingRooms;
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
  move: ["person"],
  resign: ["person"],
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
  readonly #watches: RoomWatches;
  readonly #attendances: Attendances;
  readonly #origin: Origin;
  #identity: Identity | null;
  #inFlight = 0;
  readonly #sending: Sending;
  #isDraining = false;

  constructor(socket: WebSocket, wire: Socket, { identity, origin }: Opening, parts: LiveParts) {
    this.#socket = socket;
    this.#wire = wire;
    this.#identity = identity;
    this.#origin = origin;
    this.#parts = parts;
    const sending = new Sending(socket, wire);
    this.#sending = sending;
    const line = {
      write: (text: string) => sending.write(textFrame(text)),
      onFault: parts.onFault,
      get backlogBytes() {
        return sending.backlogBytes;
      },
    };
    this.#attendances = new Attendances(parts.waiting, line, limits.watchesMax);
    const subscriber = {
      send: (message: FeedMessage) => sending.write(feedFrame(message)),
      get backlogBytes() {
        return sending.backlogBytes;
      },
      drop: (reason: string) => sending.end(reason),
    };
    this.#watches = new RoomWatches(parts, subscriber, limits.watchesMax);
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : String(data)));
    socket.on("close", () => this.#close());
    socket.on("error", () => socket.terminate());
  }

  /** Reads on once what was asked is answered, and the answers are taken. */
  #readOn(): void {
    if (!this.#socket.isPaused || this.#inFlight >= limits.inFlightMax / 2) return;
    if (this.#sending.backlogBytes > limits.unreadBytesMax) this.#waitForDrain();
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
    if (this.#sending.backlogBytes > limits.unreadBytesMax && !this.#socket.isPaused) {
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
      case "unwatch":
        return this.#follow(message, proof);
      case "ping":
        return success(200, "Here.", {});
    }
    const permitted = permit(proof, messageAccess[message.type]);
    if ("refusal" in permitted) return failure(permitted.refusal);
    const { identity } = permitted;
    const { games, arenas, waiting } = this.#parts;
    switch (message.type) {
      case "join":
      case "leave":
        return this.#seat(identity, message);
      case "move":
        return arenas.move(identity, message.arena, message, message.key);
      case "resign":
        return arenas.resign(identity, message.arena, message, message.key);
      case "can-join":
        return games.canJoin(identity, message.game);
      case "enter":
        return this.#enter(identity, message.queue, message.key);
      case "heartbeat":
        return waiting.positions.heartbeat(identity, message.position);
      case "attend":
        return this.#attendances.attend(identity, message.position);
      case "unattend":
        return this.#attendances.unattend(message.position);
    }
  }

  /** The same words for every kind of room with seats. */
  #seat(
    identity: Identity,
    message: Extract<ClientMessage, { type: "join" | "leave" }>,
  ): Answer | Promise<Answer> {
    const room = roomOf(message, ["game", "arena"]);
    if ("refusal" in room) return failure(room.refusal);
    const rooms = room.kind === "game" ? this.#parts.games : this.#parts.arenas;
    return rooms[message.type](identity, room.id, message.key);
  }

  #follow(
    message: Extract<ClientMessage, { type: "watch" | "unwatch" }>,
    proof: Proof,
  ): Answer | Promise<Answer> {
    const room = roomOf(message, watchedKinds);
    if ("refusal" in room) return failure(room.refusal);
    if (message.type === "unwatch") return this.#watches.unwatch(room);
    // As over HTTP: nobody has to say who they are, but whoever once did is not shown their own with a proof that is over.
    if (this.#identity && "refusal" in proof) return failure(proof.refusal);
    if (this.#identity && room.kind === "conversation") {
      const permitted = permit({ identity: this.#identity }, ["person"]);
      if ("refusal" in permitted) return failure(permitted.refusal);
    }
    const viewer = this.#identity?.role === "person" ? personOf(this.#identity) : undefined;
    return this.#watches.watch(room, { after: message.after, viewer });
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

  #answer(id: number | null, { status, body, replayed }: Answer): void {
    const text = JSON.stringify({ id, type: "answer", status, ...(replayed && { replayed }), body });
    this.#sending.write(textFrame(text));
  }

  #refusalFor(error: unknown): Refusal {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.#parts.onFault(error);
    return refusal;
  }

  #close(): void {
    this.#watches.close();
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
