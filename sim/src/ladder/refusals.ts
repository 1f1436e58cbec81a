import type { LadderCommand, Millis } from "@openseat/kernel";
import { limits } from "../limits.ts";
import { type Obstacle, obstacle } from "../specification.ts";
import {
  fileUnderWay,
  inStatus,
  type Ladder,
  mayManage,
  opponentIn,
  playerCalled,
  presentCalled,
  reporterIn,
  reportsOfOpponent,
  roleOf,
  touchedBy,
} from "./ladder.ts";
import { isReporter } from "./matches.ts";

type CommandOf<Type extends LadderCommand["type"]> = Extract<LadderCommand, { readonly type: Type }>;

const forbidden = obstacle({ code: "auth.forbidden" });
const banned = (userId: string) => obstacle({ code: "player.banned", data: { userId } });
const notFound = (userId: string) => obstacle({ code: "player.not-found", data: { userId } });

/** The refusal of a command; undefined for "done". */
export function refusalOf(
  ladder: Ladder | undefined,
  by: string,
  command: LadderCommand,
): Obstacle | undefined {
  if (command.type === "create") return ladder && obstacle({ code: "ladder.exists" });
  if (!ladder) return obstacle({ code: "ladder.not-found" });
  const isUse = ["enrol", "report", "confirm", "ban", "unban", "import", "configure"].includes(command.type);
  if (ladder.ended && isUse) return obstacle({ code: "ladder.ended" });
  switch (command.type) {
    case "end":
      if (by !== ladder.terms.creator && roleOf(by) !== "operator") return forbidden;
      return ladder.ended ? obstacle({ code: "ladder.ended" }) : undefined;
    case "configure":
      return by === ladder.terms.creator || roleOf(by) === "operator" ? undefined : forbidden;
    case "enrol":
      return obstacleToEnrolling(ladder, by, command);
    case "leave":
      return obstacleToLeaving(ladder, by, command);
    case "ban":
    case "unban":
      return obstacleToBanning(ladder, by, command);
    case "report":
      return obstacleToReporting(ladder, by, command);
    case "confirm":
    case "decline":
      return obstacleToSettling(ladder, by, command);
    case "void":
      return obstacleToVoiding(ladder, by, command);
    case "import":
      return obstacleToImporting(ladder, by, command);
    default:
      return undefined;
  }
}

function obstacleToEnrolling(
  ladder: Ladder,
  by: string,
  { person, rating }: CommandOf<"enrol">,
): Obstacle | undefined {
  const isTrusted = mayManage(ladder, by);
  if (!isTrusted && (by !== person || rating !== undefined)) return forbidden;
  if (playerCalled(ladder, person)?.banned) return banned(person);
  if (presentCalled(ladder, person)) return obstacle({ code: "player.exists", data: { userId: person } });
  if (!isTrusted && !ladder.settings.open) return obstacle({ code: "ladder.closed" });
  const { floor } = ladder.terms.rating;
  if (rating === undefined || rating >= floor) return undefined;
  const errors = [{ field: "rating", message: `A rating on this ladder is at least ${floor}.` }];
  return obstacle({ code: "input.invalid", data: { in: "body", field: "rating", errors } });
}

function obstacleToLeaving(ladder: Ladder, by: string, { person }: CommandOf<"leave">): Obstacle | undefined {
  if (by !== person && !mayManage(ladder, by)) return forbidden;
  if (presentCalled(ladder, person)) return undefined;
  return by === person ? obstacle({ code: "player.missing" }) : notFound(person);
}

/** LD13. */
function obstacleToBanning(
  ladder: Ladder,
  by: string,
  { type, person }: CommandOf<"ban" | "unban">,
): Obstacle | undefined {
  if (!mayManage(ladder, by)) return forbidden;
  const player = playerCalled(ladder, person);
  if (!player) return notFound(person);
  if (type === "ban") return player.banned ? banned(person) : undefined;
  return player.banned ? undefined : obstacle({ code: "player.not-banned" });
}

/** LD6. */
function obstacleToReporting(
  ladder: Ladder,
  by: string,
  { result }: CommandOf<"report">,
): Obstacle | undefined {
  const [first, second] = result.players;
  if (first === second) return obstacle({ code: "player.self", data: { userId: first } });
  for (const person of result.players) {
    if (playerCalled(ladder, person)?.banned) return banned(person);
    if (!presentCalled(ladder, person)) return notFound(person);
  }
  if (roleOf(by) !== "person") return undefined;
  if (by !== first && by !== second) return forbidden;
  return waits(ladder, by, result) ? obstacleToWaiting(ladder, by, by === first ? second : first) : undefined;
}

/**
 * LD14: a report that confirms the opponent's counts at once. One that disputes it waits, even where other reports
 * count at once.
 */
function waits(ladder: Ladder, by: string, { players, scores }: CommandOf<"report">["result"]): boolean {
  const [first, second] = players.map((person) => presentCalled(ladder, person)!.number);
  const reporter = by === players[0] ? ("first" as const) : ("second" as const);
  const theirs = reportsOfOpponent(ladder, { players: [first, second], reporter });
  const isSame = theirs.some(({ players: [one], scores: [a, b] }) =>
    one === first ? a === scores[0] && b === scores[1] : a === scores[1] && b === scores[0],
  );
  if (isSame) return false;
  return ladder.settings.confirm || theirs.length > 0;
}

/** LM6: limits on waiting reports per reporter and per pair. */
function obstacleToWaiting(ladder: Ladder, by: string, of: string): Obstacle | undefined {
  const [reporter, opponent] = [by, of].map((person) => presentCalled(ladder, person)!.number);
  const own = inStatus(ladder, "pending").filter((match) => reporterIn(match) === reporter);
  const isTooMany =
    own.length >= limits.pendingOfOne ||
    own.filter((match) => opponentIn(match) === opponent).length >= limits.pendingOfPair;
  return isTooMany ? obstacle({ code: "limit.pending" }) : undefined;
}

function obstacleToSettling(
  ladder: Ladder,
  by: string,
  { match: number }: CommandOf<"confirm" | "decline">,
): Obstacle | undefined {
  const match = ladder.matches[number - 1];
  if (!match) return obstacle({ code: "match.not-found" });
  if (match.status !== "pending") return obstacle({ code: `match.${match.status}` });
  const opponent = match.players[match.reporter === "first" ? 1 : 0];
  return ladder.players[opponent - 1].person === by ? undefined : forbidden;
}

function obstacleToVoiding(
  ladder: Ladder,
  by: string,
  { match: number }: CommandOf<"void">,
): Obstacle | undefined {
  const match = ladder.matches[number - 1];
  if (!match) return obstacle({ code: "match.not-found" });
  if (match.status !== "pending" && match.status !== "counted")
    return obstacle({ code: `match.${match.status}` });
  if (roleOf(by) === "operator") return undefined;
  if (by !== ladder.terms.creator && !isReporter(ladder, match, by)) return forbidden;
  const isDeep = match.status === "counted" && touchedBy(ladder, match).matches.length > limits.recounted;
  return isDeep ? obstacle({ code: "match.too-old" }) : undefined;
}

/** LD8: the time for voiding a match may be over. */
export function refusalByClock(
  command: LadderCommand,
  latestClock: Millis,
  ladder: Ladder | undefined,
  by: string,
): Obstacle | undefined {
  if (command.type !== "void" || roleOf(by) === "operator" || by === ladder?.terms.creator) return undefined;
  const countedAt = ladder?.matches[command.match - 1]?.countedAt ?? null;
  if (!ladder || countedAt === null) return undefined;
  const undoneUntilAt = countedAt + ladder.settings.undoWindowMs;
  return latestClock > undoneUntilAt ? obstacle({ code: "undo.over", data: { undoneUntilAt } }) : undefined;
}

function obstacleToImporting(
  ladder: Ladder,
  by: string,
  { digest }: CommandOf<"import">,
): Obstacle | undefined {
  if (!mayManage(ladder, by)) return forbidden;
  const known = ladder.files.find((file) => file.digest === digest);
  if (known) {
    const { rows, done } = known;
    return obstacle({ code: "import.exists", data: { import: digest, rows: rows.length, done } });
  }
  const other = fileUnderWay(ladder);
  return other && obstacle({ code: "import.running", data: { import: other.digest } });
}
