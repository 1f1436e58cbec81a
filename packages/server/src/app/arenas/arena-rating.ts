import {
  type ArenaTerms,
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
import type { ArenaStreams } from "./arenas.ts";

/** Terms never change, so what was once read of them stays true; past this many, all are forgotten. */
const termsKeptMax = 10_000;

const titleLengthMax = 100;

/** AR12: what the ladder of an arena has to say about those who come. */
export class ArenaRating {
  readonly #arenas: ArenaStreams;
  readonly #ladders: LadderStreams;
  readonly #rated = new Map<string, ArenaTerms["rated"]>();

  constructor(arenas: ArenaStreams, ladders: LadderStreams) {
    this.#arenas = arenas;
    this.#ladders = ladders;
  }

  /** Why the one who asks may not have matches count on this ladder. */
  async obstacle(identity: Identity, ladder: string | undefined): Promise<Refusal | undefined> {
    if (ladder === undefined) return undefined;
    const data = { field: "ladder" };
    const found = await this.#ladders.read(ladder, (state) => {
      if (!state) return { ...ladderNotFound, data };
      if (state.isClosed) return { ...ladderEnded, data };
      const isTheirs = mayManage(state, askerOf(identity));
      return isTheirs ? undefined : { ...notTheirLadder("let arenas count on it"), data };
    });
    return "refusal" in found ? found.refusal : found.value;
  }

  /** The rating of someone who comes, where the arena goes by it; undefined where it does not. */
  async of(id: string, person: PersonId): Promise<number | undefined | { refusal: Refusal }> {
    const rated = await this.#termsOf(id);
    if (!rated || rated.tiers.length === 0) return undefined;
    const found = await this.#ladders.read(rated.ladder, (ladder) => {
      const player = ladder?.players.find(person);
      return player === undefined ? ladder?.terms.rating.start : ladder?.players.ratingOf(player);
    });
    return "refusal" in found ? found : found.value;
  }

  async #termsOf(id: string): Promise<ArenaTerms["rated"] | undefined> {
    const known = this.#rated.get(id);
    if (known !== undefined) return known;
    const found = await this.#arenas.read(id, (room) => room?.terms.rated);
    const rated = "value" in found ? found.value : undefined;
    // An arena that cannot be read, or is not there, says so itself a moment later.
    if (rated === undefined) return undefined;
    if (this.#rated.size >= termsKeptMax) this.#rated.clear();
    this.#rated.set(id, rated);
    return rated;
  }
}

/** The arenas that are to be made: one, or one a tier. */
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

/** The arena of a tier, the lowest of which is 1. */
export function tierId(id: string, tier: number): string {
  return `${id}-${tier}`;
}

/** Cut where it is the same for all: without the name of the tier, nobody could tell them apart. */
function tierTitle(title: string, name: string): string {
  const end = `: ${name}`;
  return [...title].slice(0, titleLengthMax - [...end].length).join("") + end;
}
