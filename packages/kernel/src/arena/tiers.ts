import type { Refusal } from "../refusals.ts";
import type { RatedTerms, Tier } from "./state.ts";

/** AR12: refuses a player of another tier and names their arena; undefined when this arena is for them. */
export function tierFor(rated: RatedTerms | null, rating: number | undefined): Refusal | undefined {
  if (!rated || rating === undefined) return undefined;
  const { tiers, tier } = rated;
  const index = tiers.findIndex(
    ({ from, below }) => rating >= (from ?? rating) && (below === null || rating < below),
  );
  if (index === tier || index < 0) return undefined;
  const { arena, name } = tiers[index];
  return {
    code: "tier.other",
    message: `This arena is for ${rangeOf(tiers[tier])}. With ${Math.round(rating)} you play in ${name}.`,
    data: { arena, tier: name, rating },
  };
}

function rangeOf({ name, from, below }: Tier): string {
  if (from === null) return `${name}: below ${below}`;
  return below === null ? `${name}: from ${from}` : `${name}: from ${from} to below ${below}`;
}
