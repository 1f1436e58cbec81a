import type { Position } from "@openseat/protocol";
import { refusalIn } from "../errors.ts";
import type { PlaceMessage } from "./live-link.ts";
import type { LiveSocket } from "./live-socket.ts";

/** Someone who follows a place in a line. */
export interface PlaceFollower {
  readonly id: string;
  readonly queue: string;
  onPosition(position: Position): void;
  onPulse(pulse: Extract<PlaceMessage, { type: "pulse" }>): void;
  /** Something may have been missed, so ask for the position now. */
  onDoubt(): void;
  onClose(): void;
}

interface FollowedPlace {
  readonly followers: Set<PlaceFollower>;
  /** Whether the server sends this place's messages over the current connection. */
  isAttended: boolean;
}

/** The places that are followed over the live connection, or without it where there is none. */
export class FollowedPlaces {
  readonly #socket: LiveSocket;
  readonly #places = new Map<string, FollowedPlace>();
  /** The last message about each place, because the server may handle two at once. */
  readonly #sending = new Map<string, Promise<unknown>>();

  constructor(socket: LiveSocket) {
    this.#socket = socket;
  }

  /** Returns a function that stops. */
  follow(follower: PlaceFollower): () => void {
    const { id } = follower;
    const place = this.#places.get(id) ?? { followers: new Set(), isAttended: false };
    place.followers.add(follower);
    if (!this.#places.has(id)) {
      this.#places.set(id, place);
      if (this.#socket.isPossible) this.#socket.acquire(this);
      if (this.#socket.connection === "open") void this.#attend(id, place);
    }
    return () => {
      if (place.followers.delete(follower) && place.followers.size === 0) this.#drop(id, place);
    };
  }

  /** Asks over the connection; undefined if the place is not attended, or the answer is no position. */
  async ask(id: string): Promise<Position | undefined> {
    return this.#places.get(id)?.isAttended ? (await this.#send("heartbeat", id))?.position : undefined;
  }

  /** The connection is open, again or as another person. */
  resume(): void {
    for (const [id, place] of this.#places) {
      place.isAttended = false;
      void this.#attend(id, place);
    }
  }

  /** The connection is lost. Until it is back, each place asks by HTTP when it is time: not all clients at once. */
  onLost(): void {
    for (const place of this.#places.values()) place.isAttended = false;
  }

  /** The network or the reader is back. */
  askNow(): void {
    for (const { followers } of [...this.#places.values()])
      for (const follower of [...followers]) follower.onDoubt();
  }

  take(message: PlaceMessage): void {
    if (message.type === "position") {
      const { position } = message;
      for (const follower of [...(this.#places.get(position.id)?.followers ?? [])])
        follower.onPosition(position);
      return;
    }
    for (const { followers } of [...this.#places.values()])
      for (const follower of [...followers]) if (follower.queue === message.queue) follower.onPulse(message);
  }

  close(): void {
    for (const { followers } of [...this.#places.values()])
      for (const follower of [...followers]) follower.onClose();
  }

  async #attend(id: string, place: FollowedPlace): Promise<void> {
    const answer = await this.#send("attend", id, () => this.#places.get(id) === place);
    if (this.#places.get(id) !== place) {
      // Nobody follows it any more, but the server does not know.
      if (answer?.position && !this.#places.has(id)) void this.#send("unattend", id);
      return;
    }
    place.isAttended = answer?.position !== undefined;
    for (const follower of [...place.followers])
      if (answer?.position) follower.onPosition(answer.position);
      else if (answer) follower.onDoubt();
  }

  #drop(id: string, place: FollowedPlace): void {
    if (this.#places.get(id) !== place) return;
    this.#places.delete(id);
    if (place.isAttended) void this.#send("unattend", id);
    if (this.#places.size === 0) this.#socket.release(this);
  }

  /** Undefined if the connection ended first. Without a position, the server refused, and asking by HTTP tells why. */
  async #send(
    type: "attend" | "unattend" | "heartbeat",
    id: string,
    isWanted = () => true,
  ): Promise<{ readonly position?: Position } | undefined> {
    const before = this.#sending.get(id);
    const answer = (async () => {
      await before;
      if (!isWanted()) return undefined;
      const { status, body } = await this.#socket.ask({ type, position: id });
      return refusalIn(body, status, undefined) ? {} : (body as { data: { position: Position } }).data;
    })().catch(() => undefined);
    this.#sending.set(id, answer);
    const data = await answer;
    if (this.#sending.get(id) === answer) this.#sending.delete(id);
    return data;
  }
}
