import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../identity.ts";
import { type Result, refused } from "../result.ts";

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

  async make<Made>(
    { identity, rooms, isThere }: NewRooms,
    make: () => Promise<Result<Made>>,
  ): Promise<Result<Made>> {
    if (identity.role !== "person") return make();
    const { roomsPerPersonMax } = this.#deps;
    const making = this.#begin(identity.by);
    try {
      const isOver = (await making.live) + making.taken + rooms > roomsPerPersonMax;
      if (isOver && !(await isThere())) return refused(tooManyRooms(roomsPerPersonMax));
      making.taken += rooms;
      const result = await make();
      if ("refusal" in result || result.replayed) making.taken -= rooms;
      return result;
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

const hourSeconds = 3_600;

/** Not worth asking again soon: a room has to end first. */
function tooManyRooms(max: number): Refusal {
  const message = `You have ${max} rooms that have not ended, the most that one person may have. End a game of yours first; unused rooms end by themselves after a week.`;
  return { code: "limit.rooms", message, data: { max }, retryAfterSeconds: hourSeconds };
}
