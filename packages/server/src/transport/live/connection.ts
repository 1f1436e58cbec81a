import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import { type ClientMessage, clientMessages } from "@openseat/protocol";
import type { WebSocket } from "ws";
import { type Identity, personOf } from "../../app/identity.ts";
import { invalidInput } from "../../app/invalid-input.ts";
import type { Origin } from "../../app/queues/positions.ts";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import { validator } from "../../app/validation.ts";
import type { Clock } from "../../clock.ts";
import type { FeedMessage } from "../../feed/watch.ts";
import { refusalFor } from "../../host/trouble.ts";
import { type Access, permit } from "../auth/access.ts";
import type { Prover } from "../auth/entrances.ts";
import { missingToken, type Proof } from "../auth/proof.ts";
import { arenaAnswers } from "../http/arenas/arena-answers.ts";
import { type Answer, failure, success } from "../http/envelope.ts";
import { gameAnswers } from "../http/games/game-answers.ts";
import { free, type Gatekeeper, type Traits } from "../limits/gatekeeper.ts";
import { Attendances } from "./attendances.ts";
import { feedFrame, textFrame } from "./frames.ts";
import { Intake } from "./intake.ts";
import { Liveness } from "./liveness.ts";
import { RoomWatches, type Watchable } from "./room-watches.ts";
import { Sending } from "./sending.ts";
import { roomOf, watchAccess, watchedKinds } from "./watch-room.ts";

export interface LiveParts extends Watchable {
  readonly waiting: WaitingRooms;
  readonly gatekeeper: Gatekeeper;
  readonly clock: Clock;
  /** What an authenticated person may send over one connection. */
  readonly messagesPerSecond: number;
  readonly onFault: (error: unknown) => void;
}

const watchesMax = 100;
/** A connection that has not said whose it is may send this part of what a person may. */
const anonymousShare = 0.25;

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

const begun: Traits = { isBegun: true, cost: 0 };
const begunWrite: Traits = { isBegun: true, cost: 1 };
const newWrite: Traits = { isBegun: false, cost: 1 };

/** LM3, LM4: what limits have to know of each message. */
const messageTraits: Readonly<Record<ClientMessage["type"], Traits>> = {
  auth: begun,
  join: newWrite,
  leave: begunWrite,
  move: begunWrite,
  resign: begunWrite,
  "can-join": free,
  enter: newWrite,
  heartbeat: begun,
  attend: begun,
  unattend: begun,
  watch: free,
  unwatch: begun,
  ping: begun,
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

/** Who opened the connection, and from where; what tells who its messages are from. */
interface Opening {
  readonly identity: Identity | null;
  readonly prover: Prover;
  readonly origin: Origin;
}

/** One WebSocket: messages in, answers and changes out. */
export class LiveConnection {
  readonly #parts: LiveParts;
  readonly #watches: RoomWatches;
  readonly #attendances: Attendances;
  readonly #origin: Origin;
  readonly #prover: Prover;
  #identity: Identity | null;
  readonly #sending: Sending;
  readonly #intake: Intake;
  readonly #socket: WebSocket;
  readonly #liveness: Liveness;

  constructor(socket: WebSocket, wire: Socket, { identity, origin, prover }: Opening, parts: LiveParts) {
    this.#identity = identity;
    this.#origin = origin;
    this.#prover = prover;
    this.#parts = parts;
    this.#socket = socket;
    this.#liveness = new Liveness(socket, wire);
    const sending = new Sending(socket, wire);
    this.#sending = sending;
    this.#intake = new Intake(socket, sending, parts.clock);
    this.#intake.allow(this.#messagesPerSecond);
    const line = {
      write: (text: string) => sending.write(textFrame(text)),
      answer: (answer: Answer) => this.#answer(null, answer),
      onFault: parts.onFault,
      get backlogBytes() {
        return sending.backlogBytes;
      },
    };
    this.#attendances = new Attendances(parts.waiting, line, watchesMax);
    const subscriber = {
      address: origin.address,
      send: (message: FeedMessage) => sending.write(feedFrame(message)),
      get backlogBytes() {
        return sending.backlogBytes;
      },
      drop: (reason: string) => sending.end(1013, reason),
    };
    this.#watches = new RoomWatches(parts, subscriber, watchesMax);
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : String(data)));
    socket.on("close", () => this.#close());
    socket.on("error", () => socket.terminate());
  }

  /** Services act for many people, and operators for all: what they send is bounded by what is answered alone. */
  get #messagesPerSecond(): number | undefined {
    const { messagesPerSecond } = this.#parts;
    if (!this.#identity) return Math.max(1, messagesPerSecond * anonymousShare);
    return this.#identity.role === "person" ? messagesPerSecond : undefined;
  }

  /** To be called regularly: lets go of a client that is gone, does not read, or whose token no longer holds. */
  keepUp(): void {
    if (!this.#liveness.check()) {
      this.#socket.terminate();
      return;
    }
    if (this.#identity) void this.#renew(this.#identity);
    void this.#attendances.renew(this.#prover);
  }

  /** AU5: without it, a connection that only watches would go on with an expired token or a withdrawn key. */
  async #renew(identity: Identity): Promise<void> {
    const proof = await this.#prover.renew(identity);
    if ("refusal" in proof && this.#identity === identity) this.#sending.end(1008, proof.refusal.message);
  }

  #receive(text: string | undefined): void {
    if (!this.#intake.take()) return;
    const message = parse(text);
    if ("refusal" in message) {
      const { gatekeeper } = this.#parts;
      const answer = () => this.#answer(message.id, failure(message.refusal));
      if (gatekeeper.shed(free, this.#origin.address, undefined)) gatekeeper.hold(answer);
      else answer();
      return;
    }
    this.#intake.asked();
    const shed = this.#shed(message);
    if (shed) {
      this.#parts.gatekeeper.hold(() => this.#finish(message.id, failure(shed)));
      return;
    }
    const proof = this.#prove(message);
    const handled =
      proof instanceof Promise ? proof.then((it) => this.#handle(message, it)) : this.#handle(message, proof);
    handled
      .catch((error: unknown) => failure(this.#refusalFor(error)))
      .then((answer) => this.#finish(message.id, answer));
  }

  #finish(id: number, answer: Answer): void {
    this.#answer(id, answer);
    this.#intake.answered();
  }

  #shed(message: ClientMessage): Refusal | undefined {
    const { address } = this.#origin;
    const token = "token" in message ? message.token : undefined;
    if (token === undefined && this.#identity && this.#identity.role !== "person") return undefined;
    return this.#parts.gatekeeper.shed(messageTraits[message.type], address, token);
  }

  /** Who sends this message: the token it carries, else the one that the connection was opened or proved with. */
  #prove(message: ClientMessage): Proof | Promise<Proof> {
    if ("token" in message && message.token !== undefined) return this.#prover.prove(message.token);
    return this.#identity ? this.#prover.renew(this.#identity) : { refusal: missingToken };
  }

  async #handle(message: ClientMessage, proof: Proof): Promise<Answer> {
    const { type } = message;
    const permitted = permit(proof, messageAccess[type]);
    const isPermitted = "identity" in permitted;
    if (!isPermitted && messageAccess[type] !== "public") return failure(permitted.refusal);
    const identity = isPermitted ? permitted.identity : null;
    const refusal = this.#parts.gatekeeper.refusalFor(messageTraits[type], identity, this.#origin.address);
    if (refusal) return failure(refusal);
    if (identity && "token" in message && message.token !== undefined) this.#attendances.vouch(identity);
    switch (message.type) {
      case "auth":
        return this.#authenticate(proof);
      case "watch":
      case "unwatch":
        return this.#follow(message, proof);
      case "ping":
        return success(200, "Here.", {});
    }
    return this.#act(identity!, message);
  }

  #act(
    identity: Identity,
    message: Exclude<ClientMessage, { type: "auth" | "watch" | "unwatch" | "ping" }>,
  ): Answer | Promise<Answer> {
    const { games, arenas } = this.#parts;
    switch (message.type) {
      case "join":
      case "leave":
        return this.#seat(identity, message);
      case "move":
        return arenas.move(identity, message.arena, message, message.key).then(arenaAnswers.moved);
      case "resign":
        return arenas.resign(identity, message.arena, message, message.key).then(arenaAnswers.resigned);
      case "can-join":
        return games.canJoin(identity, message.game).then(gameAnswers.canJoin);
      case "enter":
        return this.#enter(identity, message.queue, message.key);
      case "heartbeat":
        return this.#heartbeat(identity, message);
      case "attend":
        return this.#attendances.attend(identity, message.position);
      case "unattend":
        return this.#attendances.unattend(identity, message.position);
    }
  }

  /** The same words for every kind of room with seats. */
  #seat(
    identity: Identity,
    message: Extract<ClientMessage, { type: "join" | "leave" }>,
  ): Answer | Promise<Answer> {
    const room = roomOf(message, ["game", "arena"]);
    if ("refusal" in room) return failure(room.refusal);
    const { games, arenas } = this.#parts;
    const { type, key } = message;
    if (room.kind === "game")
      return type === "join"
        ? games.join(identity, room.id, key).then(gameAnswers.joined)
        : games.leave(identity, room.id, key).then(gameAnswers.left);
    return type === "join"
      ? arenas.join(identity, room.id, key).then(arenaAnswers.joined)
      : arenas.leave(identity, room.id, key).then(arenaAnswers.left);
  }

  /** Of a place in a line, or of the place in a game. */
  #heartbeat(
    identity: Identity,
    { position, game }: Extract<ClientMessage, { type: "heartbeat" }>,
  ): Answer | Promise<Answer> {
    const { games, waiting } = this.#parts;
    if (position !== undefined && game === undefined) return waiting.positions.heartbeat(identity, position);
    if (game !== undefined && position === undefined)
      return games.heartbeat(identity, game).then(gameAnswers.heartbeat);
    return failure(invalidInput("message", "position", "or game must be given, and only one of them"));
  }

  #follow(
    message: Extract<ClientMessage, { type: "watch" | "unwatch" }>,
    proof: Proof,
  ): Answer | Promise<Answer> {
    const room = roomOf(message, watchedKinds);
    if ("refusal" in room) return failure(room.refusal);
    if (message.type === "unwatch") return this.#watches.unwatch(room);
    // As over HTTP: expired tokens are refused, not treated as anonymous.
    if (this.#identity && "refusal" in proof) return failure(proof.refusal);
    const access = watchAccess[room.kind];
    if (access !== "public") {
      const permitted = permit(this.#identity ? { identity: this.#identity } : proof, access);
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
    // What is watched is shown as its viewer sees it. Left open, it would outlive that person's token.
    if (this.#identity && this.#identity.by !== proof.identity.by) this.#letGo();
    this.#identity = proof.identity;
    this.#intake.allow(this.#messagesPerSecond);
    const { role, by, name } = proof.identity;
    return success(200, "Welcome.", { role, ...(role === "person" && { person: { id: by, name } }) });
  }

  #answer(id: number | null, { status, body, replayed, retryAfterSeconds }: Answer): void {
    const more = { ...(replayed && { replayed }), ...(retryAfterSeconds && { retryAfterSeconds }) };
    const text = JSON.stringify({ id, type: "answer", status, ...more, body });
    this.#sending.write(textFrame(text));
  }

  #refusalFor(error: unknown): Refusal {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.#parts.onFault(error);
    return refusal;
  }

  #letGo(): void {
    this.#watches.close();
    this.#attendances.unattendAll();
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
