import type { PlaceState, QueueEvent } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Answer, Ask, Request } from "../requests.ts";
import type { PlaceView, QueueView } from "./view.ts";

/** A place, as far as its owner knows. */
export interface KnownPlace {
  readonly ticket: number;
  readonly state: PlaceState;
}

const over: readonly PlaceState[] = ["completed", "left", "expired"];

/** A person with one or more tabs, and everything they have been told. */
export class Person {
  readonly name: string;
  /** No tab sends anything before this time. */
  silentUntilMs = 0;
  isGone = false;
  /** Used keys, to be reused where that must be refused. */
  readonly usedKeys: Ask[] = [];
  readonly #places = new Map<StreamName, KnownPlace>();

  constructor(name: string) {
    this.name = name;
  }

  placeIn(stream: StreamName): KnownPlace | undefined {
    return this.#places.get(stream);
  }

  get places(): readonly [StreamName, KnownPlace][] {
    return [...this.#places];
  }

  learn(request: Request, answer: Answer | undefined): void {
    if (!answer || !("stream" in request) || ("by" in request && request.by !== this.name)) return;
    const { stream } = request;
    if (answer.type === "seen") {
      const mine = (answer.view as QueueView | null)?.mine;
      if (!mine || "code" in mine) this.#places.delete(stream);
      else this.#know(stream, mine);
    } else if (answer.type === "done") {
      this.#learnFrom(stream, answer.entry.events as readonly QueueEvent[]);
    } else if (answer.type === "refused") {
      const { code, data } = answer.refusal;
      if (code === "place.exists") this.#know(stream, { ticket: data!.ticket as number, state: "waiting" });
      if (code === "place.over" || code === "place.not-found") this.#places.delete(stream);
    }
  }

  #learnFrom(stream: StreamName, [first, second]: readonly QueueEvent[]): void {
    if (first.type === "entered") {
      const isIn = second?.type === "admitted" && second.tickets.includes(first.ticket);
      this.#know(stream, { ticket: first.ticket, state: isIn ? "admitted" : "waiting" });
    } else if (first.type === "claimed") {
      this.#know(stream, { ticket: first.ticket, state: "active" });
    } else if (first.type === "left" || first.type === "completed") {
      this.#places.delete(stream);
    }
  }

  #know(stream: StreamName, { ticket, state }: KnownPlace | PlaceView): void {
    if (over.includes(state)) this.#places.delete(stream);
    else this.#places.set(stream, { ticket, state });
  }
}
