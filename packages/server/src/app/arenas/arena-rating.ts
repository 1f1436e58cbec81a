import {
  ladderEnded,
  ladderNotFound,
  mayManage,
  notTheirLadder,
  type PersonId,
  type RatedTerms,
  type Refusal,
} from "@openseat/kernel";
import type { NewArena } from "@openseat/protocol";
import type { Identity } from "../identity.ts";
import { askerOf, type LadderStreams } from "../ladders/ladders.ts";
import type { Refused } from "../result.ts";
import { readRoomSoon } from "../rooms/rooms.ts";
import type { ArenaStreams } from "./arenas.ts";

const titleLengthMax = 100;

/** AR12: the rating of a person, which decides the tier of an arena that they join. */
export class ArenaRating {
  readonly #arenas: ArenaStreams;
  readonly #ladders: LadderStreams;

  constructor(arenas: ArenaStreams, ladders: LadderStreams) {
    this.#arenas = arenas;
    this.#ladders = ladders;
  }

  /** Why this identity may not have matches count on this ladder. */
  async obstacle(identity: Identity, ladder: string | undefined): Promise<Refusal | undefined> {
    if (ladder === undefined) return undefined;
    const data = { field: "ladder" };
    const found = await this.#ladders.read(ladder, (state) => {
      if (!state) return { ...ladderNotFound, data };
      if (state.isClosed) return { ...ladderEnded, data };
      const isTheirs = mayManage(state, askerOf(identity));
      return isTheirs ? undefined : { ...notTheirLadder("link arenas to it"), data };
    });
    return "refusal" in found ? found.refusal : found.value;
  }

  /** The rating of a newcomer; undefined if the arena has no tiers. */
  async of(id: string, person: PersonId): Promise<number | undefined | Refused> {
    const soon = readRoomSoon(this.#arenas, id, (room) => ({ value: room?.terms.rated }));
    const terms = soon instanceof Promise ? await soon : soon;
    // If the arena cannot be read or does not exist, the join is refused for that.
    const rated = "value" in terms ? terms.value : undefined;
    if (!rated || rated.tiers.length === 0) return undefined;
    const found = await this.#ladders.read(rated.ladder, (ladder) => {
      const player = ladder?.players.find(person);
      return player === undefined ? ladder?.terms.rating.start : ladder?.players.ratingOf(player);
    });
    return "refusal" in found ? found : found.value;
  }
}

/** The arenas to make: one, or one per tier. */
export function ratedArenas(
  id: string,
  given: NewArena,
): { readonly arena: string; readonly given: NewArena; readonly rated: RatedTerms | undefined }[] {
  const { ladder, tiers = [] } = given;
  if (ladder === undefined) return [{ arena: id, given, rated: undefined }];
  const ranges = tiers.map(({ name, from }, index) => ({
    arena: tierId(id, index + 1),
    name: name.trim(),
    from: index === 0 ? null : from,
    below: tiers[index + 1]?.from ?? null,
  }));
  if (ranges.length === 0) return [{ arena: id, given, rated: { ladder, tiers: [], tier: 0 } }];
  return ranges.map(({ arena, name }, tier) => ({
    arena,
    given: { ...given, title: tierTitle(given.title.trim(), name) },
    rated: { ladder, tiers: ranges, tier },
  }));
}

/** The lowest tier is 1. */
export function tierId(id: string, tier: number): string {
  return `${id}-${tier}`;
}

/** A long title is truncated before the tier's name, which tells the arenas apart. */
function tierTitle(title: string, name: string): string {
  const end = `: ${name}`;
  return [...title].slice(0, titleLengthMax - [...end].length).join("") + end;
}
