import type { Session } from "@openseat/protocol";
import type { Requests } from "../requests.ts";
import type { PlaceState, PlaceStatus } from "./place-state.ts";

/** What a session needs of its place, which follows it and sends the heartbeats. */
interface PlaceOfSession {
  readonly state: PlaceState;
  onChange(listener: (state: PlaceState) => void): () => void;
  ended(): Promise<PlaceState>;
  settle(): Promise<void>;
}

/** A visit, from the claim of an admission until it is completed, left or expired. */
export class QueueSession {
  readonly id: string;
  readonly queue: string;
  /** The session token, which a site can verify. */
  readonly token: string;
  /** When the session ends at the latest, in ISO 8601. */
  readonly endTime: string;
  readonly #place: PlaceOfSession;
  readonly #requests: Requests;

  constructor(session: Session, place: PlaceOfSession, requests: Requests) {
    this.id = session.id;
    this.queue = session.queue;
    this.token = session.token!;
    this.endTime = session.endTime!;
    this.#place = place;
    this.#requests = requests;
  }

  get status(): PlaceStatus {
    return this.#place.state.status;
  }

  /** Calls the listener after each change of the place. Returns a function that stops. */
  onChange(listener: (state: PlaceState) => void): () => void {
    return this.#place.onChange(listener);
  }

  /** Resolves when the session is over; `reason` says why. */
  ended(): Promise<PlaceState> {
    return this.#place.ended();
  }

  /** Ends the session because the visit is done. The next person is admitted. */
  async complete(): Promise<void> {
    await this.#requests.write(`${this.#path}/complete`);
    await this.#place.settle();
  }

  /** Ends the session early. */
  async leave(): Promise<void> {
    await this.#requests.write(this.#path, undefined, "DELETE");
    await this.#place.settle();
  }

  get #path(): string {
    return `/api/v1/sessions/${encodeURIComponent(this.id)}`;
  }
}
