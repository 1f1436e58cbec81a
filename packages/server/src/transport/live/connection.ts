import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import type { ClientMessage } from "@openseat/protocol";
import type { WebSocket } from "ws";
import { type Identity, personOf } from "../../app/identity.ts";
import type { Origin } from "../../app/queues/positions.ts";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import { refused } from "../../app/result.ts";
import type { Clock } from "../../clock.ts";
import type { FeedMessage } from "../../feed/watch.ts";
import { refusalFor } from "../../host/failures.ts";
import { permit } from "../auth/access.ts";
import type { Prover } from "../auth/entrances.ts";
import { missingToken, type Proof } from "../auth/proof.ts";
import { failure, success } from "../http/envelope.ts";
import { queueAnswers } from "../http/queues/queue-answers.ts";
import { free, type Gatekeeper } from "../limits/gatekeeper.ts";
import { AttendedPlaces } from "./attended-places.ts";
import { feedFrame, textFrame } from "./frames.ts";
import { Intake } from "./intake.ts";
import { Liveness } from "./liveness.ts";
import { messageRules, parseMessage, type Reply } from "./messages.ts";
import { act } from "./person-messages.ts";
import { RoomWatches, type Watchable } from "./room-watches.ts";
import { Sending } from "./sending.ts";
import { roomOf, watchAccess, watchedKinds } from "./watch-room.ts";

export interface LiveDeps extends Watchable {
  readonly waiting: WaitingRooms;
  readonly gatekeeper: Gatekeeper;
  readonly clock: Clock;
  readonly messagesPerSecond: number;
  readonly onFault: (error: unknown) => void;
}

const watchesMax = 100;
/** The fraction of `messagesPerSecond` that anonymous connections may send. */
const anonymousShare = 0.25;

interface Opening {
  readonly identity: Identity | null;
  readonly prover: Prover;
  readonly origin: Origin;
}

export class LiveConnection {
  readonly #deps: LiveDeps;
  readonly #watches: RoomWatches;
  readonly #attended: AttendedPlaces;
  readonly #origin: Origin;
  readonly #prover: Prover;
  #identity: Identity | null;
  readonly #sending: Sending;
  readonly #intake: Intake;
  readonly #socket: WebSocket;
  readonly #liveness: Liveness;

  constructor(socket: WebSocket, wire: Socket, { identity, origin, prover }: Opening, deps: LiveDeps) {
    this.#identity = identity;
    this.#origin = origin;
    this.#prover = prover;
    this.#deps = deps;
    this.#socket = socket;
    this.#liveness = new Liveness(socket, wire);
    const sending = new Sending(socket, wire);
    this.#sending = sending;
    this.#intake = new Intake(socket, sending, deps.clock);
    this.#intake.allow(this.#messagesPerSecond);
    const line = {
      write: (text: string) => sending.write(textFrame(text)),
      refuse: (refusal: Refusal) => this.#answer(null, { refusal }),
      onFault: deps.onFault,
      get backlogBytes() {
        return sending.backlogBytes;
      },
    };
    this.#attended = new AttendedPlaces(deps.waiting, line, watchesMax);
    const subscriber = {
      address: origin.address,
      send: (message: FeedMessage) => sending.write(feedFrame(message)),
      get backlogBytes() {
        return sending.backlogBytes;
      },
      drop: (reason: string) => sending.end(1013, reason),
    };
    this.#watches = new RoomWatches(deps, subscriber, watchesMax);
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : String(data)));
    socket.on("close", () => {
      this.#watches.close();
      this.#attended.close();
    });
    socket.on("error", () => socket.terminate());
  }

  /** Undefined for services and operators, which act for many people. */
  get #messagesPerSecond(): number | undefined {
    const { messagesPerSecond } = this.#deps;
    if (!this.#identity) return Math.max(1, messagesPerSecond * anonymousShare);
    return this.#identity.role === "person" ? messagesPerSecond : undefined;
  }

  /** Called regularly: closes the connection if the client is gone, does not read, or its token is no longer valid. */
  keepUp(): void {
    if (!this.#liveness.check()) {
      this.#socket.terminate();
      return;
    }
    if (this.#identity) void this.#renew(this.#identity);
    void this.#attended.renew(this.#prover);
  }

  /** AU5: otherwise a connection that only watches would outlive its token. */
  async #renew(identity: Identity): Promise<void> {
    const proof = await this.#prover.renew(identity);
    if ("refusal" in proof && this.#identity === identity) this.#sending.end(1008, proof.refusal.message);
  }

  #receive(text: string | undefined): void {
    if (!this.#intake.take()) return;
    const message = parseMessage(text);
    if ("refusal" in message) {
      const { gatekeeper } = this.#deps;
      const answer = () => this.#answer(message.id, message);
      if (gatekeeper.shed(free, this.#origin.address, undefined)) gatekeeper.hold(answer);
      else answer();
      return;
    }
    this.#intake.asked();
    const shed = this.#shed(message);
    if (shed) {
      this.#deps.gatekeeper.hold(() => this.#finish(message.id, refused(shed)));
      return;
    }
    const proof = this.#prove(message);
    const handled =
      proof instanceof Promise ? proof.then((it) => this.#handle(message, it)) : this.#handle(message, proof);
    handled
      .catch((error: unknown) => refused(this.#refusalFor(error)))
      .then((reply) => this.#finish(message.id, reply));
  }

  #finish(id: number, reply: Reply): void {
    this.#answer(id, reply);
    this.#intake.answered();
  }

  #shed(message: ClientMessage): Refusal | undefined {
    const { address } = this.#origin;
    const token = "token" in message ? message.token : undefined;
    if (token === undefined && this.#identity && this.#identity.role !== "person") return undefined;
    return this.#deps.gatekeeper.shed(messageRules[message.type], address, token);
  }

  /** By the token of the message, or by default that of the connection. */
  #prove(message: ClientMessage): Proof | Promise<Proof> {
    if ("token" in message && message.token !== undefined) return this.#prover.prove(message.token);
    return this.#identity ? this.#prover.renew(this.#identity) : { refusal: missingToken };
  }

  async #handle(message: ClientMessage, proof: Proof): Promise<Reply> {
    const rule = messageRules[message.type];
    const permitted = permit(proof, rule.access);
    if ("refusal" in permitted && rule.access !== "public") return permitted;
    const identity = "refusal" in permitted ? null : permitted.identity;
    const refusal = this.#deps.gatekeeper.refusalFor(rule, identity, this.#origin.address);
    if (refusal) return refused(refusal);
    if (identity && "token" in message && message.token !== undefined) this.#attended.vouch(identity);
    switch (message.type) {
      case "auth":
        return this.#authenticate(proof);
      case "watch":
      case "unwatch":
        return this.#follow(message, proof);
      case "ping":
        return success(200, "Here.", {});
      case "attend":
        return queueAnswers.position(this.#attended.attend(identity!, message.position));
      case "unattend":
        this.#attended.unattend(identity!, message.position);
        return success(200, "You are no longer following this place.", {
          position: { id: message.position },
        });
      default:
        return act(this.#deps, identity!, this.#origin, message);
    }
  }

  #follow(
    message: Extract<ClientMessage, { type: "watch" | "unwatch" }>,
    proof: Proof,
  ): Reply | Promise<Reply> {
    const room = roomOf(message, watchedKinds);
    if ("refusal" in room) return room;
    if (message.type === "unwatch") return this.#watches.unwatch(room);
    // As over HTTP: reject expired tokens; do not downgrade them to anonymous.
    if (this.#identity && "refusal" in proof) return proof;
    const access = watchAccess[room.kind];
    if (access !== "public") {
      const permitted = permit(this.#identity ? { identity: this.#identity } : proof, access);
      if ("refusal" in permitted) return permitted;
    }
    const viewer = this.#identity?.role === "person" ? personOf(this.#identity) : undefined;
    return this.#watches.watch(room, { after: message.after, viewer });
  }

  #authenticate(proof: Proof): Reply {
    if ("refusal" in proof) return proof;
    // The watches show what the previous person may see.
    if (this.#identity && this.#identity.by !== proof.identity.by) {
      this.#watches.close();
      this.#attended.unattendAll();
    }
    this.#identity = proof.identity;
    this.#intake.allow(this.#messagesPerSecond);
    const { role, by, name } = proof.identity;
    return success(200, "Welcome.", { role, ...(role === "person" && { person: { id: by, name } }) });
  }

  #answer(id: number | null, reply: Reply): void {
    const answer = "refusal" in reply ? failure(reply.refusal) : reply;
    const { status, body, replayed, retryAfterSeconds } = answer;
    const more = { ...(replayed && { replayed }), ...(retryAfterSeconds && { retryAfterSeconds }) };
    this.#sending.write(textFrame(JSON.stringify({ id, type: "answer", status, ...more, body })));
  }

  #refusalFor(error: unknown): Refusal {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.#deps.onFault(error);
    return refusal;
  }
}
