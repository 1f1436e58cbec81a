import type { ArenaAtVersion, ArenaChange } from "@openseat/client";
import { isYourTurn } from "./aftermath.ts";
import { moveName } from "./table/cells.ts";
import { headlineOf, nextFor, whyOf } from "./table/result.ts";

/** The screen reader announcement for a change; empty if it does not concern this viewer. */
export function announcementOf(
  before: ArenaAtVersion | undefined,
  after: ArenaAtVersion,
  changes: readonly ArenaChange[],
  me: string | undefined,
): string {
  const { state } = after;
  const sentences: string[] = [];
  const isFirst = before === undefined;
  const ended = !isFirst && state.lastMatch && state.lastMatch.id !== before.state.lastMatch?.id;
  if (!ended) sentences.push(...movesOf(after, changes));
  if (ended && state.lastMatch)
    sentences.push(
      headlineOf(state.lastMatch, me),
      whyOf(state.lastMatch, me),
      nextFor(state.lastMatch, me, state),
    );
  else sentences.push(...placeWords(before, after));
  const note = isFirst ? undefined : newNote(before, after);
  if (note !== undefined) sentences.push(note);
  if (isYourTurn(after) && isNewTurn(before, after)) sentences.push("Your turn.");
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** Moves of the other players. The viewer's own moves are not announced. */
function movesOf({ game, state }: ArenaAtVersion, changes: readonly ArenaChange[]): string[] {
  return changes.flatMap((change) => {
    if (change.type !== "moved" || change.label === state.you?.label || change.move === null) return [];
    const mover = state.players.find(({ label }) => label === change.label);
    return `${mover?.person.name ?? change.label} played ${moveName(game, change.move, state.match?.sight)}.`;
  });
}

/** A new seat, or a new position in the line. */
function placeWords(before: ArenaAtVersion | undefined, { state: { you } }: ArenaAtVersion): string[] {
  const was = before?.state.you;
  if (you === null) return was ? ["You have left."] : [];
  if (you.state === "seated") return was?.state === "seated" ? [] : [`You play ${you.label}.`];
  if (was?.position === you.position) return [];
  return [you.position === 1 ? "You are next." : `You are at position ${you.position}.`];
}

/** The game's latest note, such as the result of a round of rock, paper, scissors. */
function newNote(before: ArenaAtVersion, after: ArenaAtVersion): string | undefined {
  const note = after.state.match?.sight?.notes.at(-1);
  return note === before.state.match?.sight?.notes.at(-1) ? undefined : note;
}

function isNewTurn(before: ArenaAtVersion | undefined, after: ArenaAtVersion): boolean {
  if (!before || !isYourTurn(before)) return true;
  const [was, is] = [before.state.match, after.state.match];
  return was?.id !== is?.id || was?.sight?.notes.length !== is?.sight?.notes.length;
}
