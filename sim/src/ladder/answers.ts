import { isDeepStrictEqual } from "node:util";
import type { LadderCommand, LadderEvent, Listing, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { type Obstacle, obstacle, type Specification } from "../specification.ts";
import { fileUnderWay, inStatus, type Ladder, mayManage, presentCalled, roleOf } from "./ladder.ts";
import { isReporter } from "./matches.ts";
import { dueOf, foldLadder } from "./model.ts";
import { type LadderView, standingsOf, viewOfLadder } from "./view.ts";

const refusalRules: Readonly<Record<string, string>> = {
  "player.self": "LD6",
  "player.not-found": "LD6",
  "player.exists": "RM3",
  "player.missing": "RM3",
  "undo.over": "LD8",
  "match.voided": "LD8",
  "import.exists": "LD1",
  "import.running": "LD5",
  "auth.forbidden": "AU2",
  "ladder.closed": "AU2",
};

export const ladderSpecification: Specification<Ladder, LadderCommand, LadderEvent> = {
  fold: foldLadder,
  due: dueOf,
  dueRule: "LD9",
  listing: listingOf,
  refusal: refusalOf,
  refusalByClock,
  refusalRule: (code) => refusalRules[code] ?? "LD9",
  asksTheSame,
  keepsKeys: true,
  view: viewOfLadder,
  viewRule: "LD7",
  viewRuleFor,
};

function listingOf(ladder: Ladder): Listing {
  const { terms, settings } = ladder;
  const standings = standingsOf(ladder);
  const [leader] = standings;
  return {
    status: settings.open ? "OPEN" : "CLOSED",
    summary: {
      ...{ terms, settings, players: standings.length, matches: inStatus(ladder, "counted").length },
      leader: leader ? { name: leader.name, rating: leader.mark.rating } : null,
    },
  };
}

/** LD4, LD5, LD9: versions, imports and what is to be confirmed have rules of their own. */
function viewRuleFor(shown: unknown, expected: unknown): string {
  const [told, right] = [shown, expected] as (LadderView | null)[];
  const versions = (view: LadderView | null) =>
    new Map(view?.standings.map(({ number, version }) => [number, version]));
  if (!isDeepStrictEqual(versions(told), versions(right))) return "LD4";
  if (!isDeepStrictEqual(told?.imports, right?.imports)) return "LD5";
  return isDeepStrictEqual(told?.pending, right?.pending) ? "LD7" : "LD9";
}

type CommandOf<Type extends LadderCommand["type"]> = Extract<LadderCommand, { readonly type: Type }>;

const forbidden = obstacle({ code: "auth.forbidden" });
const notFound = (userId: string) => obstacle({ code: "player.not-found", data: { userId } });

function refusalOf(ladder: Ladder | undefined, by: string, command: LadderCommand): Obstacle | undefined {
  if (command.type === "create") return ladder && obstacle({ code: "ladder.exists" });
  if (!ladder) return obstacle({ code: "ladder.not-found" });
  switch (command.type) {
    case "configure":
      return by === ladder.terms.creator || roleOf(by) === "operator" ? undefined : forbidden;
    case "enrol":
      return obstacleToEnrolling(ladder, by, command);
    case "leave":
      return obstacleToLeaving(ladder, by, command);
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
  if (presentCalled(ladder, person)) return obstacle({ code: "player.exists", data: { userId: person } });
  if (!isTrusted && !ladder.settings.open) return obstacle({ code: "ladder.closed" });
  const isTooLow = rating !== undefined && rating < ladder.terms.rating.floor;
  return isTooLow ? obstacle({ code: "input.invalid", data: { in: "body", field: "rating" } }) : undefined;
}

function obstacleToLeaving(ladder: Ladder, by: string, { person }: CommandOf<"leave">): Obstacle | undefined {
  if (by !== person && !mayManage(ladder, by)) return forbidden;
  if (presentCalled(ladder, person)) return undefined;
  return by === person ? obstacle({ code: "player.missing" }) : notFound(person);
}

/** LD6. */
function obstacleToReporting(
  ladder: Ladder,
  by: string,
  { result }: CommandOf<"report">,
): Obstacle | undefined {
  const [first, second] = result.players;
  if (first === second) return obstacle({ code: "player.self", data: { userId: first } });
  for (const person of result.players) if (!presentCalled(ladder, person)) return notFound(person);
  return roleOf(by) !== "person" || by === first || by === second ? undefined : forbidden;
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
  return roleOf(by) === "operator" || isReporter(ladder, match, by) ? undefined : forbidden;
}

/** LD8: the time in which a match can be taken back may be over. */
function refusalByClock(
  command: LadderCommand,
  latestClock: Millis,
  ladder: Ladder | undefined,
  by: string,
): Obstacle | undefined {
  if (command.type !== "void" || roleOf(by) === "operator") return undefined;
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

function asksTheSame(command: LadderCommand, { command: words }: Entry<LadderEvent>): boolean {
  switch (command.type) {
    case "create":
      return words === `create ${JSON.stringify([command.rating, command.settings])}`;
    case "configure":
      return words === `configure ${JSON.stringify(command.changes)}`;
    case "enrol": {
      const { person, rating = null, name, asker } = command;
      // By what name somebody goes who joins by themselves is none of what they ask for.
      const asked = asker.by === person ? [person, rating] : [person, rating, name];
      return words === `enrol ${JSON.stringify(asked)}`;
    }
    case "leave":
      return words === `leave ${command.person}`;
    case "report": {
      const { players, scores } = command.result;
      return words === ["report", ...players, ...scores].join(" ");
    }
    case "confirm":
    case "decline":
    case "void":
      return words === `${command.type} ${command.match}`;
    case "import":
      return words === `import ${command.digest}`;
    default:
      return false;
  }
}
