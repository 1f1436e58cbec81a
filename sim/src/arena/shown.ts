import { isDeepStrictEqual } from "node:util";
import { type ArenaEvent, gameNamed } from "@openseat/kernel";
import type { ArenaChange, ArenaChangeMessage, ArenaViewMessage } from "@openseat/protocol";
import type { Entry, FeedMessage } from "@openseat/server";
import { must } from "../rule.ts";
import type { Arena } from "./arena.ts";
import { resultOf, type StateView, stateShown, termsOf, viewOfArena, viewOfArenaShown } from "./view.ts";

const iso = (at: number) => new Date(at).toISOString();

/** What a feed message said, and to whom. */
interface Shown {
  readonly room: Arena | undefined;
  readonly entry: Entry<ArenaEvent> | undefined;
  readonly message: FeedMessage;
  readonly viewer: string;
  readonly before: unknown;
}

/**
 * Checks one message against the model. Returns what the viewer now knows of the state, if the message says
 * anything about it.
 */
export function checkShown({ room, entry, message, viewer, before }: Shown): StateView | undefined {
  const { version, type, ticket } = message;
  must(room !== undefined, "FD1", `version ${version} was shown but does not exist`);
  const expected = viewOfArena(room, { by: viewer });
  const body = JSON.parse(message.json) as ArenaViewMessage | ArenaChangeMessage;
  const isRight = body.type === type && body.version === version;
  must(
    isRight,
    "FD1",
    `a message of version ${version} calls itself ${body.type} of version ${body.version}`,
  );
  if (body.type === "change") checkChanges(room, entry!, body);
  if (!body.state) return undefined;
  const state = { ...(before as StateView | undefined), ...stateShown(body.state) } as StateView;
  checkSecrets(state, expected.state, viewer);
  const isSame = isDeepStrictEqual(state, expected.state);
  must(isSame, "AR11", `${viewer} was shown something else than version ${version}`);
  if (body.type === "view") {
    const isWhole = isDeepStrictEqual(viewOfArenaShown(body), expected);
    must(isWhole, "AR11", `${viewer} was shown wrong terms for version ${version}`);
  }
  const place = expected.state.you?.ticket ?? null;
  const isSaid = ticket === place || (ticket === undefined && !("you" in body.state));
  must(isSaid, "LS1", `the place of ${viewer} is ${place}, but watching keeps ${ticket}`);
  return state;
}

/** MT3: checks first that no secret was revealed. */
function checkSecrets({ match, you }: StateView, expected: StateView, viewer: string): void {
  const [sight, sightExpected] = [match?.sight ?? null, expected.match?.sight ?? null];
  const words = `${viewer} was shown ${sight?.chosen}, revealed ${sight?.revealed}`;
  must((sight?.chosen ?? null) === (sightExpected?.chosen ?? null), "MT3", words);
  must(isDeepStrictEqual(sight?.revealed ?? [], sightExpected?.revealed ?? []), "MT3", words);
  must(
    isDeepStrictEqual(you?.moves, expected.you?.moves),
    "MT2",
    `${viewer} was shown wrong available moves`,
  );
}

function checkChanges(room: Arena, entry: Entry<ArenaEvent>, { at, changes }: ArenaChangeMessage): void {
  const { version } = entry;
  const expected = changesOf(room, entry);
  const isSecret = room.terms.game !== null && gameNamed(room.terms.game)?.isSecret === true;
  const moves = changes.flatMap((change) => (change.type === "moved" ? [change.move] : []));
  const isKept = !isSecret || moves.every((move) => move === null);
  must(isKept, "MT3", `version ${version} revealed ${moves} to everyone`);
  const isSame = at === iso(entry.at) && isDeepStrictEqual(changes.map(withoutId), expected);
  must(isSame, "FD1", `a watcher was shown a version ${version} that differs from the log`);
}

function withoutId(change: ArenaChange): unknown {
  if (change.type !== "settings-changed") return change;
  const { id: _, ...arena } = change.arena;
  return { ...change, arena };
}

function changesOf(room: Arena, entry: Entry<ArenaEvent>): unknown[] {
  return entry.events.flatMap((event) => changeOf(room, event, entry) ?? []);
}

function changeOf(room: Arena, event: ArenaEvent, { at, version }: Entry<ArenaEvent>): unknown {
  const { labels, game } = room.terms;
  switch (event.type) {
    case "created":
      return undefined;
    case "configured":
      return { type: "settings-changed", arena: termsOf({ ...room, settings: event.settings }) };
    case "entered":
      return {
        type: "entered",
        userId: event.person,
        person: event.person,
        position: event.waiting - event.behind,
      };
    case "seated":
      return { type: "seated", userId: event.person, person: event.person, label: labels[event.seat] };
    case "left":
      return { type: "left", userId: event.person, person: event.person, reason: event.reason };
    case "started":
      return { type: "match-started", match: String(version), number: event.number };
    case "moved": {
      const isSecret = game !== null && gameNamed(game)?.isSecret === true;
      return { type: "moved", label: labels[event.seat], move: isSecret ? null : event.move };
    }
    case "ended":
      return { type: "match-ended", result: resultOf(labels, { ended: event, at }) };
    case "expired":
      return { type: "arena-ended", reason: event.reason };
    case "clock-restarted":
      return { type: "clock-restarted", moveBy: event.moveBy === null ? null : iso(event.moveBy) };
  }
}
