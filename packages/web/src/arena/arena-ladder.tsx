import type { ArenaTerms } from "@openseat/client";
import type { JSX } from "preact";
import { arenaAddress, ladderAddress } from "../ui/route.ts";
import { siblingsOf, tierShown } from "./tiers.ts";

/** Links to the arena's ladder and to the arenas of its other tiers. */
export function ArenaLadder({ arena }: { readonly arena: ArenaTerms }): JSX.Element | null {
  const { ladder, tier } = arena;
  if (ladder === null) return null;
  const siblings = siblingsOf(arena);
  return (
    <p class="arena-ladder">
      {tier && <span class="tier">{tierShown(tier)}</span>}
      {siblings.map(({ arena: id, ...sibling }) => (
        <a key={id} href={arenaAddress(id)} title={tierShown(sibling)}>
          {sibling.name}
        </a>
      ))}
      <a href={ladderAddress(ladder)}>See the ladder</a>
    </p>
  );
}
