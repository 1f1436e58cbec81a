/** Which page an address is of. */
export type Route =
  | { readonly page: "home" }
  | { readonly page: "game"; readonly game: string }
  | { readonly page: "arena"; readonly arena: string }
  | { readonly page: "replay"; readonly arena: string; readonly match: string }
  | { readonly page: "nowhere" };

export function routeOf(path: string): Route {
  const parts = path.split("/").filter((part) => part !== "");
  const [kind, id, below, match] = parts;
  if (parts.length === 0) return { page: "home" };
  if (kind === "games" && parts.length === 2) return { page: "game", game: id };
  if (kind === "arenas" && parts.length === 2) return { page: "arena", arena: id };
  if (kind === "arenas" && below === "matches" && parts.length === 4)
    return { page: "replay", arena: id, match };
  return { page: "nowhere" };
}

export function arenaAddress(arena: string): string {
  return `/arenas/${arena}`;
}

export function replayAddress(arena: string, match: string): string {
  return `/arenas/${arena}/matches/${match}`;
}

export function gameAddress(game: string): string {
  return `/games/${game}`;
}

export function waitAddress(queue: string): string {
  return `/wait/${queue}`;
}
