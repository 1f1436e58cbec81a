import type { ArenaAtVersion, ArenaChange, MatchResult } from "@openseat/client";
import { type Aftermath, aftermathIn } from "./aftermath.ts";
import { announcementOf } from "./announcing.ts";
import { type Sound, soundOf } from "./sound/tones.ts";

/** How many recent matches the page lists. */
const recentShown = 8;

/** The state of an arena page, derived from the views it has received. */
export interface Scene {
  readonly view: ArenaAtVersion;
  readonly aftermath: Aftermath | undefined;
  /** Why the viewer lost their place, if they did. */
  readonly lost: string | undefined;
  /** For screen readers. The number changes with each announcement, so that equal texts are read again. */
  readonly said: { readonly text: string; readonly number: number };
  readonly sound: { readonly name: Sound | undefined; readonly number: number };
  /** When this page first saw the current match. */
  readonly matchSinceMs: number;
  /** The newest first. */
  readonly recent: readonly MatchResult[];
}

/** The scene after a new view and the changes that led to it. */
export function sceneAfter(
  before: Scene | undefined,
  view: ArenaAtVersion,
  changes: readonly ArenaChange[],
  me: string | undefined,
  nowMs: number,
): Scene {
  const text = announcementOf(before?.view, view, changes, me);
  const sound = soundOf(before?.view, view, me);
  const isSameMatch = before?.view.state.match?.id === view.state.match?.id;
  return {
    view,
    aftermath: aftermathIn(before?.view, view, nowMs) ?? before?.aftermath,
    lost: view.state.you === null ? (lossOf(changes, me, view) ?? before?.lost) : undefined,
    said: text === "" && before ? before.said : { text, number: (before?.said.number ?? 0) + 1 },
    sound: { name: sound, number: (before?.sound.number ?? 0) + 1 },
    matchSinceMs: before && isSameMatch ? before.matchSinceMs : nowMs,
    recent: withEnded(before?.recent ?? [], view, changes),
  };
}

/** Adds the fetched list of older matches to the matches received in the meantime. */
export function withRecent(scene: Scene, older: readonly MatchResult[]): Scene {
  return { ...scene, recent: newestOf([...scene.recent, ...older]) };
}

function withEnded(
  recent: readonly MatchResult[],
  { state }: ArenaAtVersion,
  changes: readonly ArenaChange[],
): readonly MatchResult[] {
  const ended = changes.flatMap((change) => (change.type === "match-ended" ? [change.result] : []));
  const last = state.lastMatch ? [state.lastMatch] : [];
  return newestOf([...last, ...ended, ...recent]);
}

function newestOf(matches: readonly MatchResult[]): MatchResult[] {
  const byId = new Map(matches.map((match) => [match.id, match]));
  return [...byId.values()].sort((a, b) => b.number - a.number).slice(0, recentShown);
}

/** Why the viewer lost their place; undefined if they left on purpose. */
function lossOf(
  changes: readonly ArenaChange[],
  me: string | undefined,
  { state }: ArenaAtVersion,
): string | undefined {
  const left = changes.findLast((change) => change.type === "left" && change.userId === me);
  if (left?.type !== "left") return undefined;
  switch (left.reason) {
    case "forfeited":
      return state.lastMatch?.reason === "disconnected"
        ? "Your connection was lost for too long, so your seat went to the next person."
        : "Your clock ran out twice in a row, so your seat went to the next person.";
    case "heartbeat_timeout":
      return "Your connection was lost for too long, so your place went to the next person.";
    default:
      return undefined;
  }
}
