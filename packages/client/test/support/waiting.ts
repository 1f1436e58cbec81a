import { tokenOf } from "../../../server/test/support/tokens.ts";
import type { NewQueue, Openseat, Place, PlaceState } from "../../src/index.ts";
import type { Stage } from "./stage.ts";

/** A queue, its operator, and people in front of it. */
export class WaitingRoom {
  readonly operator: Openseat;
  readonly id: string;
  readonly #stage: Stage;

  private constructor(stage: Stage, operator: Openseat, id: string) {
    this.#stage = stage;
    this.operator = operator;
    this.id = id;
  }

  static async open(stage: Stage, fields: Partial<NewQueue> = {}): Promise<WaitingRoom> {
    const operator = stage.client({ token: stage.server.operatorKey });
    const { id } = await operator.queues.create({ title: "The sale", maxActive: 1, ...fields });
    return new WaitingRoom(stage, operator, id);
  }

  get queue() {
    return this.operator.queue(this.id);
  }

  person(name: string): Openseat {
    return this.#stage.client({ token: tokenOf(name) });
  }

  enter(name: string): Promise<Place> {
    return this.person(name).queue(this.id).enter();
  }
}

/** The statuses that a place goes through, each once, and its positions. */
export function diaryOf(place: Place): { readonly statuses: string[]; readonly positions: number[] } {
  const diary = { statuses: [place.status as string], positions: [place.position] };
  place.onChange(({ status, position }: PlaceState) => {
    if (diary.statuses.at(-1) !== status) diary.statuses.push(status);
    if (diary.positions.at(-1) !== position) diary.positions.push(position);
  });
  return diary;
}

/** Node before version 22 has no WebSocket. */
export async function withoutWebSocket(work: () => Promise<void>): Promise<void> {
  const { WebSocket } = globalThis;
  Object.assign(globalThis, { WebSocket: undefined });
  try {
    await work();
  } finally {
    Object.assign(globalThis, { WebSocket });
  }
}
