import type { ArenaState, Person } from "@openseat/client";

export interface LineRow {
  readonly position: number;
  readonly name: string;
  readonly isYou: boolean;
}

/** The front of the line, the viewer's own row, and how many people are not listed. */
export interface LineShown {
  readonly rows: readonly LineRow[];
  /** The viewer's row, if they are too far back to be listed in `rows`. */
  readonly you: LineRow | undefined;
  readonly more: number;
}

export function lineShown(
  { line, waiting, you }: Pick<ArenaState, "line" | "waiting" | "you">,
  me: Person | undefined,
): LineShown {
  const rows = line.map(({ position, person }) => ({
    position,
    name: person.name,
    isYou: person.userId === me?.id,
  }));
  const isBehind = you?.position != null && !rows.some(({ isYou }) => isYou);
  const yours = isBehind ? { position: you.position!, name: me?.name ?? "You", isYou: true } : undefined;
  return { rows, you: yours, more: Math.max(0, waiting - rows.length - (yours ? 1 : 0)) };
}
