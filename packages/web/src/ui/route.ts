import { base } from "./base.ts";

/** The page of an address. */
export type Route =
  | { readonly page: "home" }
  | { readonly page: "game"; readonly game: string }
  | { readonly page: "arena"; readonly arena: string }
  | { readonly page: "replay"; readonly arena: string; readonly match: string }
  | { readonly page: "ladder"; readonly ladder: string }
  | { readonly page: "ladder-player"; readonly ladder: string; readonly player: string }
  | { readonly page: "chat" | "duels" }
  | { readonly page: "nowhere" };

export function routeOf(path: string): Route {
  const parts = path.split("/").filter((part) => part !== "");
  const [kind, id, below, match] = parts;
  if (parts.length === 0) return { page: "home" };
  if ((kind === "chat" || kind === "duels") && parts.length === 1) return { page: kind };
  if (kind === "games" && parts.length === 2) return { page: "game", game: id };
  if (kind === "arenas" && parts.length === 2) return { page: "arena", arena: id };
  if (kind === "arenas" && below === "matches" && parts.length === 4)
    return { page: "replay", arena: id, match };
  if (kind === "ladders" && parts.length === 2) return { page: "ladder", ladder: id };
  const player = decoded(match);
  if (kind === "ladders" && below === "players" && parts.length === 4 && player !== undefined)
    return { page: "ladder-player", ladder: id, player };
  return { page: "nowhere" };
}

/** Undefined for an invalid encoding. */
function decoded(part = ""): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

export function arenaAddress(arena: string): string {
  return `${base}/arenas/${arena}`;
}

export function replayAddress(arena: string, match: string): string {
  return `${base}/arenas/${arena}/matches/${match}`;
}

export function gameAddress(game: string): string {
  return `${base}/games/${game}`;
}

export function waitAddress(queue: string): string {
  return `${base}/wait/${queue}`;
}

export function ladderAddress(ladder: string): string {
  return `${base}/ladders/${ladder}`;
}

/** Issuers choose the ids of people, in any characters. */
export function ladderPlayerAddress(ladder: string, player: string): string {
  return `${base}/ladders/${ladder}/players/${encodeURIComponent(player)}`;
}

export const homeAddress = `${base}/`;
export const docsAddress = `${base}/docs`;
export const chatAddress = `${base}/chat`;
export const duelsAddress = `${base}/duels`;

/** The download address of an export. */
export function exportAddress(
  ladder: string,
  what: "standings" | "matches" | "history",
  format: "csv" | "json",
  player?: string,
): string {
  const whose = player === undefined ? "" : `&player=${encodeURIComponent(player)}`;
  return `${base}/api/v1/ladders/${ladder}/export?what=${what}&format=${format}${whose}`;
}
