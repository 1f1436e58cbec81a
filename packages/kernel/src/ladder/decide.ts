import type { Decision } from "../decider.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis } from "../values.ts";
import type {
  Ban,
  Configure,
  CreateLadder,
  End,
  Enrol,
  Import,
  LadderCommand,
  Leave,
  Unban,
} from "./commands.ts";
import { discuss } from "./discussion.ts";
import type { LadderEvent } from "./events.ts";
import { ladderLimits } from "./limits.ts";
import { confirm, decline, deliver, report, voidMatch } from "./matches/decide.ts";
import { importChunk } from "./matches/importing.ts";
import { Tally } from "./matches/tally.ts";
import { hasRoomFor, isBanned, mayManage, unusedUntilIn } from "./questions.ts";
import {
  ladderEnded,
  ladderFull,
  ladderNotFound,
  notTheirLadder,
  playerBanned,
  playerNotFound,
  wornOut,
} from "./refusals.ts";
import type { Ladder, MatchNumber } from "./state.ts";

type LadderDecision = Decision<LadderEvent>;

const refuse = (refusal: Refusal): LadderDecision => ({ refusal });

/** Expects that a due tick was decided first, so that everything due by now has lapsed. */
export function decide(ladder: Ladder | undefined, command: LadderCommand, now: Millis): LadderDecision {
  if (command.type === "create") return create(ladder, command);
  if (ladder === undefined) return refuse(ladderNotFound);
  if (ladder.endedAt !== undefined && commandsOfUse.includes(command.type)) return refuse(ladderEnded);
  switch (command.type) {
    case "report":
      return report(ladder, command, now);
    case "confirm":
      return confirm(ladder, command);
    case "decline":
      return decline(ladder, command);
    case "void":
      return voidMatch(ladder, command, now);
    case "deliver":
      return deliver(ladder, command);
    case "enrol":
      return enrol(ladder, command);
    case "leave":
      return leave(ladder, command);
    case "ban":
      return ban(ladder, command);
    case "unban":
      return unban(ladder, command);
    case "import":
      return beginImport(ladder, command);
    case "configure":
      return configure(ladder, command);
    case "end":
      return end(ladder, command);
    case "discuss":
      return discuss(ladder, command, (asked) => decide(ladder, asked, now));
    case "tick":
      return { events: [...lapses(ladder, now), ...importChunk(ladder), ...expiry(ladder, now)] };
  }
}

/**
 * Commands that are refused on a ladder that has ended. Its players can still leave, decline and undo matches.
 * Deliveries from arenas and the directory are accepted, because they would be retried forever, but their results do
 * not count.
 */
const commandsOfUse: readonly LadderCommand["type"][] = [
  "enrol",
  "report",
  "confirm",
  "ban",
  "unban",
  "import",
  "configure",
];

function create(ladder: Ladder | undefined, { rating, settings, creator }: CreateLadder): LadderDecision {
  if (ladder !== undefined)
    return refuse({
      code: "ladder.exists",
      message: "A ladder with this id already exists. Choose another id.",
    });
  return { events: [{ type: "created", rating, settings, creator }] };
}

function configure(ladder: Ladder, { changes, asker }: Configure): LadderDecision {
  if (asker.role !== "operator" && asker.by !== ladder.terms.creator)
    return refuse({
      code: "auth.forbidden",
      message: "Only the organiser of this ladder can change it.",
    });
  return { events: [{ type: "configured", settings: { ...ladder.settings, ...changes } }] };
}

function end(ladder: Ladder, { asker }: End): LadderDecision {
  if (asker.role !== "operator" && asker.by !== ladder.terms.creator)
    return refuse({
      code: "auth.forbidden",
      message: "Only the organiser of this ladder can end it.",
    });
  if (ladder.endedAt !== undefined) return refuse(ladderEnded);
  return { events: [{ type: "expired", reason: "ended_by_hand" }] };
}

function enrol(ladder: Ladder, { person, name, keepsName, rating, asker }: Enrol): LadderDecision {
  const { players, settings, terms } = ladder;
  const isTrusted = mayManage(ladder, asker);
  if (!isTrusted && asker.by !== person) return refuse(notTheirLadder("add other players"));
  if (!isTrusted && rating !== undefined) return refuse(notTheirLadder("set a player's starting rating"));
  const known = players.find(person);
  if (isBanned(ladder, known)) return refuse(playerBanned(person));
  if (known !== undefined && players.isPresent(known)) {
    const message =
      asker.by === person
        ? "You are already a player on this ladder."
        : `${person} is already a player on this ladder.`;
    return refuse({ code: "player.exists", message, data: { userId: person } });
  }
  if (!isTrusted && !settings.open)
    return refuse({
      code: "ladder.closed",
      message: "This ladder is invite-only. Ask its organiser to add you.",
    });
  if (rating !== undefined && rating < terms.rating.floor) {
    const message = `A rating on this ladder is at least ${terms.rating.floor}.`;
    const errors = [{ field: "rating", message }];
    return refuse({ code: "input.invalid", message, data: { in: "body", field: "rating", errors } });
  }
  if (known === undefined && players.size >= ladderLimits.playersMax) return refuse(ladderFull);
  const tally = new Tally(ladder);
  tally.enrol(person, name, rating, keepsName);
  return { events: tally.events };
}

function leave(ladder: Ladder, { person, asker }: Leave): LadderDecision {
  if (asker.by !== person && !mayManage(ladder, asker)) return refuse(notTheirLadder("remove players"));
  const player = ladder.players.find(person);
  if (player === undefined || !ladder.players.isPresent(player)) {
    return asker.by === person
      ? refuse({ code: "player.missing", message: "You are not a player of this ladder." })
      : refuse(playerNotFound(person));
  }
  return { events: [{ type: "left", player }] };
}

/** LD13: banned players leave, and their pending matches lapse. */
function ban(ladder: Ladder, { person, asker }: Ban): LadderDecision {
  if (!mayManage(ladder, asker)) return refuse(notTheirLadder("ban players"));
  const { players, pending } = ladder;
  const player = players.find(person);
  if (player === undefined) return refuse(playerNotFound(person));
  if (isBanned(ladder, player)) return refuse(playerBanned(person));
  const waiting = [...pending.reportedBy(player), ...pending.waitingFor(player)];
  return {
    events: [
      { type: "banned", player },
      ...(players.isPresent(player) ? [{ type: "left" as const, player }] : []),
      ...waiting.map((match) => ({ type: "lapsed" as const, match })),
    ],
  };
}

function unban(ladder: Ladder, { person, asker }: Unban): LadderDecision {
  if (!mayManage(ladder, asker)) return refuse(notTheirLadder("unban players"));
  const player = ladder.players.find(person);
  if (player === undefined) return refuse(playerNotFound(person));
  if (!isBanned(ladder, player))
    return refuse({ code: "player.not-banned", message: `${person} is not banned from this ladder.` });
  return { events: [{ type: "unbanned", player }] };
}

function beginImport(ladder: Ladder, { digest, rows, asker }: Import): LadderDecision {
  if (!mayManage(ladder, asker)) return refuse(notTheirLadder("import matches"));
  const known = ladder.imports.get(digest);
  if (known) {
    return refuse({
      code: "import.exists",
      message: `This file was already imported: ${known.done} of its ${known.rows} rows have been counted.`,
      data: { import: digest, rows: known.rows, done: known.done },
    });
  }
  if (ladder.importing) {
    return refuse({
      code: "import.running",
      message: "Another file is being imported. Please wait until it is done.",
      data: { import: ladder.importing.digest },
      retryable: true,
    });
  }
  if (
    ladder.statuses.size + rows.length > ladderLimits.matchesMax ||
    ladder.imports.size >= ladderLimits.importsMax
  )
    return refuse(wornOut);
  const { playersMax, personPlayersMax } = ladderLimits;
  const isPerson = asker.role === "person";
  if (!hasRoomFor(ladder, rows, isPerson ? personPlayersMax : playersMax)) return refuse(ladderFull);
  return { events: [{ type: "import-begun", digest, rows }] };
}

/** LM7. */
function expiry(ladder: Ladder, now: Millis): LadderEvent[] {
  const isUnused = (unusedUntilIn(ladder) ?? Number.POSITIVE_INFINITY) <= now;
  return isUnused ? [{ type: "expired", reason: "unused" }] : [];
}

/** LD9. */
function lapses({ lapses }: Ladder, now: Millis): LadderEvent[] {
  const due = lapses.due(now, ladderLimits.lapsesMax);
  return due.map((match) => ({ type: "lapsed", match: match as MatchNumber }));
}
