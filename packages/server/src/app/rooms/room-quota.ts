import { type Answer, failure } from "../../transport/http/envelope.ts";
import { tooManyRooms } from "../../transport/limits/refusals.ts";
import type { Identity } from "../identity.ts";

export interface RoomQuotaDeps {
  readonly roomsPerPersonMax: number;
  /** How many rooms of this person's have not ended, as the log has it; counts up to `limit`. */
  readonly countLive: (person: string, limit: number) => Promise<number>;
}

export interface NewRooms {
  readonly identity: Identity;
  readonly rooms: number;
  /** Whether the first of them was made before, by the same request. Asked only at the limit. */
  readonly isThere: () => Promise<boolean>;
}

/** Rooms that one person is making just now. */
interface Making {
  /** Counted when nothing of theirs was under way. */
  readonly live: Promise<number>;
  /** Made since then, or under way. */
  taken: number;
  requests: number;
}

/** LM7: how many rooms a person may have that have not ended. Other nodes' requests are seen once they are answered. */
export class RoomQuota {
  readonly #deps: RoomQuotaDeps;
  readonly #making = new Map<string, Making>();

  constructor(deps: RoomQuotaDeps) {
    this.#deps = deps;
  }

  async make({ identity, rooms, isThere }: NewRooms, make: () => Promise<Answer>): Promise<Answer> {
    if (identity.role !== "person") return make();
    const { roomsPerPersonMax } = this.#deps;
    const making = this.#begin(identity.by);
    try {
      const isOver = (await making.live) + making.taken + rooms > roomsPerPersonMax;
      if (isOver && !(await isThere())) return failure(tooManyRooms(roomsPerPersonMax));
      making.taken += rooms;
      const answer = await make();
      if (answer.status !== 201 || answer.replayed) making.taken -= rooms;
      return answer;
    } finally {
      if (--making.requests === 0) this.#making.delete(identity.by);
    }
  }

  /** One count for all that a person makes at once: each alone would miss those that are not in the log yet. */
  #begin(person: string): Making {
    const { countLive, roomsPerPersonMax } = this.#deps;
    let making = this.#making.get(person);
    if (!making) {
      making = { live: countLive(person, roomsPerPersonMax), taken: 0, requests: 0 };
      this.#making.set(person, making);
    }
    making.requests++;
    return making;
  }
}
