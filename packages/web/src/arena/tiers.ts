import type { Arena } from "@openseat/client";

type Tier = NonNullable<Arena["tier"]>;

/** "Silver, 1200 to 1599". */
export function tierShown({ name, from, below }: Tier): string {
  if (from === null && below === null) return name;
  if (from === null) return `${name}, below ${below}`;
  return below === null ? `${name}, ${from} and above` : `${name}, ${from} to ${below - 1}`;
}

/** The arenas of the other tiers, in order of rating. */
export function siblingsOf({ id, tiers }: Pick<Arena, "id" | "tiers">): Arena["tiers"] {
  return tiers.filter(({ arena }) => arena !== id);
}

/** The arena of the player's own tier, if joining was refused because of their rating. */
export function tierElsewhere(error: unknown): { readonly arena: string; readonly name: string } | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { arena?: unknown; tier?: unknown } };
  if (code !== "tier.other" || typeof data?.arena !== "string") return undefined;
  return { arena: data.arena, name: typeof data.tier === "string" ? data.tier : "another tier" };
}
