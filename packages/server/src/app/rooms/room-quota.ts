import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../identity.ts";
import { type Result, refused } from "../result.ts";

export interface RoomQuotaDeps {
  readonly roomsPerPersonMax: number;
  /** The person's rooms that have not ended, according to the log; counts up to `limit`. */
  readonly countLive: (person: string, limit: number) => Promise<number>;
}

export interface NewRooms {
  readonly identity: Identity;
  readonly rooms: number;
  /** Whether the same request already created the first of them. Called only at the limit. */
  readonly isThere: () => Promise<boolean>;
}

interface Making {
  /** Counted before the first concurrent request. */
  readonly live: Promise<number>;
  /** Created since then, or being created. */
  taken: number;
  requests: number;
}

/** LM7: how many rooms a person may have. Requests on other nodes count once they are answered. */
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

  /** One count for concurrent requests: separate counts would miss rooms that are not in the log yet. */
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

function tooManyRooms(max: number): Refusal {
  const message = `You have ${max} open rooms, which is the maximum. End one of your games first. Unused rooms end by themselves after a week.`;
  return { code: "limit.rooms", message, data: { max }, retryAfterSeconds: hourSeconds };
}
