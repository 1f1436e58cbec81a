import type { DirectoryEvent, LadderCommand, LadderEvent, MatchNumber, PersonId } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import { countedOf, type Ladder, type LadderMatch, playerCalled } from "./ladder.ts";
import { isReporter } from "./matches.ts";
import { refusalByClock, refusalOf } from "./refusals.ts";
import { standingIn, standingsOf } from "./view.ts";

/** A question from the directory to a ladder. */
export type Asked = Extract<DirectoryEvent, { readonly type: "asked" }>;

/** The command that a message asks for; undefined if there is nothing to change. */
function commandFor(ladder: Ladder, { question, asker }: Asked): LadderCommand | undefined {
  const person = asker?.person ?? ("" as PersonId);
  const own = { by: person, role: "person" } as const;
  switch (question.type) {
    case "register":
      return { type: "enrol", person, name: asker!.name, rating: undefined, asker: own };
    case "match": {
      const [first, second] = question.players;
      const result = { players: [first.person, second.person], scores: question.scores } as const;
      return { type: "report", result, asker: own };
    }
    case "undo": {
      const match = latestReportedBy(ladder, person);
      return match && { type: "void", match: match.number as MatchNumber, asker: own };
    }
    case "confirm":
    case "decline": {
      const from = question.type === "confirm" ? question.of?.person : undefined;
      const match = oldestWaitingFor(ladder, person, from);
      return match && { type: question.type, match: match.number as MatchNumber, by: person };
    }
    default:
      return undefined;
  }
}

/** Voided matches are left out. */
function latestReportedBy(ladder: Ladder, person: string): LadderMatch | undefined {
  return ladder.matches.findLast(
    (match) => ["counted", "pending"].includes(match.status) && isReporter(ladder, match, person),
  );
}

/** The oldest match waiting for the person, of all reporters or of one. */
function oldestWaitingFor(
  { matches, players }: Ladder,
  person: string,
  from: string | undefined,
): LadderMatch | undefined {
  return matches.find(({ status, players: both, reporter }) => {
    const [own, other] = (reporter === "first" ? [1, 0] : [0, 1]).map(
      (seat) => players[both[seat] - 1].person,
    );
    return status === "pending" && own === person && (from === undefined || other === from);
  });
}

/**
 * CH2: a message to a ladder has the same effect as the person's own request. Returns the entry with that request
 * as its command and without the reply; undefined if it may have changed nothing.
 */
export function inPlainWords(
  ladder: Ladder,
  entry: Entry<LadderEvent>,
  asked: Asked | undefined,
): Entry<LadderEvent> | undefined {
  must(asked !== undefined, "CH2", `a ladder was asked ${entry.key}, which the directory did not send`);
  const events = entry.events.filter(({ type }) => type !== "answered");
  must(events.length === entry.events.length - 1, "CH2", `message ${entry.key} has no reply in its entry`);
  if (isGivenUp(entry)) {
    must(
      events.length === 0,
      "CH7",
      `message ${entry.key} was given up but resulted in ${JSON.stringify(events)}`,
    );
    return undefined;
  }
  const command = commandFor(ladder, asked);
  const { by, at } = entry;
  const now = { ...ladder, at };
  const refusal = command && (refusalOf(now, by, command) ?? refusalByClock(command, at, now, by));
  const words = `message ${entry.key}, a ${asked.question.type},`;
  if (!command || refusal) {
    must(
      events.length === 0,
      "CH2",
      `${words} should have changed nothing but resulted in ${JSON.stringify(events)}`,
    );
    return undefined;
  }
  must(events.length > 0, "CH2", `${words} has changed nothing`);
  return { ...entry, command: wordsOf(command), events };
}

/** CH7: the ladder answered that the message had no effect. */
export function isGivenUp({ events }: Entry<LadderEvent>): boolean {
  const last = events.at(-1);
  return last?.type === "answered" && last.reply.includes("went wrong");
}

function wordsOf(command: LadderCommand): string {
  switch (command.type) {
    case "enrol":
      return `enrol ${JSON.stringify([command.person, null])}`;
    case "report":
      return ["report", ...command.result.players, ...command.result.scores].join(" ");
    case "void":
    case "confirm":
    case "decline":
      return `${command.type} ${command.match}`;
    default:
      return command.type;
  }
}

const shownMatches = 5;
const shownPlayers = 10;

/** Texts that the reply must contain, given the ladder after the entry. */
export function factsOf(
  ladder: Ladder,
  { question, asker }: Asked,
  events: readonly LadderEvent[],
): readonly string[] {
  const [event] = events;
  const matches = "match" in event ? [`Match ${event.match}`] : [];
  switch (question.type) {
    case "rating":
      return ratingFacts(ladder, question.of);
    case "history":
      return historyFacts(ladder, question.of.person);
    case "top":
      return standingsOf(ladder)
        .slice(0, shownPlayers)
        .map((player) => {
          const { rank, name, rating } = standingIn(ladder, player);
          return `${rank}. ${name} ${Math.round(rating)}`;
        });
    case "register": {
      const player = playerCalled(ladder, asker!.person);
      return events.length > 1 ? [`${Math.round(player!.mark.rating)} points`] : [];
    }
    default:
      return matches;
  }
}

function ratingFacts(ladder: Ladder, { person, name }: { person: string; name: string }): string[] {
  const player = playerCalled(ladder, person);
  if (!player) return [name];
  const { rating, rank, wins, draws, losses } = standingIn(ladder, player);
  const place = rank === null ? "has left" : `number ${rank} of ${standingsOf(ladder).length}`;
  return [name, place, `${Math.round(rating)} points`, `${wins} won, ${draws} drawn, ${losses} lost`];
}

/** The latest matches that count, newest first. */
function historyFacts(ladder: Ladder, person: string): string[] {
  const player = playerCalled(ladder, person);
  if (!player) return [];
  const own = countedOf(ladder, player.number).sort((a, b) => b.turn! - a.turn!);
  return own.slice(0, shownMatches).flatMap(({ number, players, scores, effect }) => {
    const seat = players[0] === player.number ? 0 : 1;
    const change = Math.round(effect!.after[seat].rating - effect!.before[seat].rating);
    return [
      `Match ${number}: `,
      ` ${scores[seat]}-${scores[1 - seat]} (${change < 0 ? "-" : "+"}${Math.abs(change)})`,
    ];
  });
}
