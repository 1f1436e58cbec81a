import { isDeepStrictEqual } from "node:util";
import type { LadderCommand, LadderEvent, Listing } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import type { Specification } from "../specification.ts";
import { inStatus, type Ladder, statusOf } from "./ladder.ts";
import { dueOf, foldLadder } from "./model.ts";
import { refusalByClock, refusalOf } from "./refusals.ts";
import { type LadderView, standingsOf, viewOfLadder } from "./view.ts";

const refusalRules: Readonly<Record<string, string>> = {
  "player.self": "LD6",
  "player.not-found": "LD6",
  "player.exists": "RM3",
  "player.missing": "RM3",
  "player.banned": "LD13",
  "player.not-banned": "LD13",
  "undo.over": "LD8",
  "match.voided": "LD8",
  "match.too-old": "LD8",
  "import.exists": "LD1",
  "import.running": "LD5",
  "auth.forbidden": "AU2",
  "ladder.closed": "AU2",
  "ladder.ended": "RM8",
  "limit.pending": "LM6",
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
  keepsKeysBy: "LD1",
  view: viewOfLadder,
  viewRule: "LD7",
  viewRuleFor,
};

function listingOf(ladder: Ladder): Listing {
  const { terms, settings } = ladder;
  const standings = standingsOf(ladder);
  const [leader] = standings;
  return {
    status: statusOf(ladder),
    summary: {
      ...{ terms, settings, players: standings.length, matches: inStatus(ladder, "counted").length },
      leader: leader ? { name: leader.name, rating: leader.mark.rating } : null,
    },
  };
}

/** LD4, LD5, LD9: versions, imports and matches to confirm have their own rules. */
function viewRuleFor(shown: unknown, expected: unknown): string {
  const [shownView, right] = [shown, expected] as (LadderView | null)[];
  const versions = (view: LadderView | null) =>
    new Map(view?.standings.map(({ number, version }) => [number, version]));
  if (!isDeepStrictEqual(versions(shownView), versions(right))) return "LD4";
  if (!isDeepStrictEqual(shownView?.imports, right?.imports)) return "LD5";
  if (!isDeepStrictEqual(shownView?.banned, right?.banned)) return "LD13";
  return isDeepStrictEqual(shownView?.pending, right?.pending) ? "LD7" : "LD9";
}

function asksTheSame(command: LadderCommand, { command: words }: Entry<LadderEvent>): boolean {
  switch (command.type) {
    case "create":
      return words === `create ${JSON.stringify([command.rating, command.settings])}`;
    case "configure":
      return words === `configure ${JSON.stringify(command.changes)}`;
    case "enrol": {
      const { person, rating = null, name, asker } = command;
      // The name that a person enrols with is not part of the comparison.
      const asked = asker.by === person ? [person, rating] : [person, rating, name];
      return words === `enrol ${JSON.stringify(asked)}`;
    }
    case "leave":
    case "ban":
    case "unban":
      return words === `${command.type} ${command.person}`;
    case "report": {
      const { players, scores } = command.result;
      return words === ["report", ...players, ...scores].join(" ");
    }
    case "confirm":
    case "decline":
    case "void":
      return words === `${command.type} ${command.match}`;
    case "end":
      return words === "end";
    case "import":
      return words === `import ${command.digest}`;
    default:
      return false;
  }
}
