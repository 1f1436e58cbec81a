import type {
  Both,
  ImportRow,
  LadderEvent,
  LadderSettings,
  LadderTerms,
  MatchStatus,
  Millis,
  Reporter,
} from "@openseat/kernel";
import { unusedUntil } from "../limits.ts";
import { must } from "../rule.ts";
import { type Contender, isRated, type Mark, newcomer, scoreOf } from "./ratings.ts";

export type EventOf<Type extends LadderEvent["type"]> = Extract<LadderEvent, { readonly type: Type }>;

export interface LadderPlayer {
  readonly number: number;
  readonly person: string;
  readonly name: string;
  readonly enrolledAt: Millis;
  readonly leftAt: Millis | null;
  /** LD13. */
  readonly banned: boolean;
  /** The rating at the start, and now. */
  readonly start: number;
  readonly mark: Mark;
  /** LD4. */
  readonly version: number;
}

/** How a match changed its two players. */
interface Effect {
  readonly before: Both<Mark>;
  readonly after: Both<Mark>;
}

export interface LadderMatch {
  readonly number: number;
  /** Its position in the order in which matches counted; null if it never did. */
  readonly turn: number | null;
  readonly status: MatchStatus;
  readonly players: Both<number>;
  readonly scores: Both<number>;
  readonly reporter: Reporter;
  readonly reportedAt: Millis;
  readonly playedAt: Millis | null;
  readonly changedAt: Millis;
  /** LD9: when the match lapses without confirmation. */
  readonly lapsesAt: Millis | null;
  /** LD14: the opponent's earlier report with another score. */
  readonly disputes: number | null;
  readonly countedAt: Millis | null;
  /** Null when it never counted. */
  readonly effect: Effect | null;
  /** The change before a recount; null without one. */
  readonly firstChange: Both<number> | null;
}

interface ImportedFile {
  readonly digest: string;
  readonly rows: readonly ImportRow[];
  readonly done: number;
  readonly at: Millis;
}

/**
 * A ladder as the specification describes it: plain arrays, copied for every entry. It shares only type names with
 * the kernel, so that a kernel bug cannot hide here.
 */
export interface Ladder {
  readonly terms: LadderTerms;
  readonly settings: LadderSettings;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** Indexed by number, like the matches. */
  readonly players: readonly LadderPlayer[];
  readonly matches: readonly LadderMatch[];
  /** The matches that count or once counted, in that order. */
  readonly order: readonly number[];
  readonly files: readonly ImportedFile[];
  /** LD12: the version received so far from each stream. */
  readonly sources: ReadonlyMap<string, number>;
  /** The directory version of each person's latest registration. */
  readonly registrations: ReadonlyMap<string, number>;
  /** LM7: the ladder ended unused. RM8: it is closed. */
  readonly ended: boolean;
  readonly closed: boolean;
}

export function newLadder(terms: LadderTerms, settings: LadderSettings): Ladder {
  const nothing = {
    players: [],
    matches: [],
    order: [],
    files: [],
    sources: new Map(),
    registrations: new Map(),
    ended: false,
    closed: false,
  };
  return { terms, settings, at: terms.createdAt, ...nothing };
}

type Role = "person" | "service" | "operator";

/** Simulated names show each person's role. */
export function roleOf(by: string): Role {
  return by === "service" || by === "operator" ? by : "person";
}

/** Whether the person may report results of others. */
export function mayManage({ terms }: Ladder, by: string): boolean {
  return roleOf(by) !== "person" || by === terms.creator;
}

export function playerCalled({ players }: Ladder, person: string): LadderPlayer | undefined {
  return players.find((player) => player.person === person);
}

/** A player who is in the ladder now. */
export function presentCalled(ladder: Ladder, person: string): LadderPlayer | undefined {
  const player = playerCalled(ladder, person);
  return player?.leftAt === null ? player : undefined;
}

/** Whether all players are in the ladder. */
export function arePresent(ladder: Ladder, players: readonly number[]): boolean {
  return players.every((player) => ladder.players[player - 1]?.leftAt === null);
}

export function statusOf({ settings, ended }: Ladder): string {
  if (ended) return "ENDED";
  return settings.open ? "OPEN" : "CLOSED";
}

/** LM7: the time at which an unused ladder ends. */
export function unusedUntilIn({ players, files, terms, ended }: Ladder): number | undefined {
  return players.length > 0 || files.length > 0 || ended ? undefined : unusedUntil(terms);
}

/** Whether rated duels may count on this ladder. */
export function takesDuels(ladder: Ladder): boolean {
  return statusOf(ladder) === "OPEN" && ladder.settings.duels === true;
}

/** LD9: the reporter, and the opponent who is asked to confirm. */
export function reporterIn({ players, reporter }: Pick<LadderMatch, "players" | "reporter">): number {
  return players[reporter === "first" ? 0 : 1];
}

export function opponentIn({ players, reporter }: Pick<LadderMatch, "players" | "reporter">): number {
  return players[reporter === "first" ? 1 : 0];
}

export function inStatus({ matches }: Ladder, status: MatchStatus): readonly LadderMatch[] {
  return matches.filter((match) => match.status === status);
}

/** LD14: the opponent's reports that still wait for this person. */
export function reportsOfOpponent(
  ladder: Ladder,
  played: Pick<LadderMatch, "players" | "reporter">,
): readonly LadderMatch[] {
  return inStatus(ladder, "pending").filter(
    (match) => reporterIn(match) === opponentIn(played) && opponentIn(match) === reporterIn(played),
  );
}

/** LD14: the conflicting report of the same match, while both wait. */
export function disputeOf(ladder: Ladder, { number, disputes }: LadderMatch): LadderMatch | undefined {
  return inStatus(ladder, "pending").find((match) => match.number === disputes || match.disputes === number);
}

/** The unfinished import. */
export function fileUnderWay({ files }: Ladder): ImportedFile | undefined {
  return files.find(({ rows, done }) => done < rows.length);
}

/** The matches that count, in order. */
function counting({ matches, order }: Ladder): LadderMatch[] {
  return order.map((number) => matches[number - 1]).filter(({ status }) => status === "counted");
}

export function countedOf(ladder: Ladder, player: number): LadderMatch[] {
  return inStatus(ladder, "counted").filter(({ players }) => players.includes(player));
}

export function withPlayer(ladder: Ladder, number: number, changes: Partial<LadderPlayer>): Ladder {
  return {
    ...ladder,
    players: ladder.players.with(number - 1, { ...ladder.players[number - 1], ...changes }),
  };
}

export function withMatch(ladder: Ladder, number: number, changes: Partial<LadderMatch>): Ladder {
  return {
    ...ladder,
    matches: ladder.matches.with(number - 1, { ...ladder.matches[number - 1], ...changes }),
  };
}

/** The rule by which matches are rated. */
function ratingRule({ terms }: Ladder): string {
  return terms.rating.system === "elo" ? "LD3" : "LD10";
}

/** LD2, LD4: one more match counts, and both players get the resulting ratings. */
export function counted(ladder: Ladder, number: number, after: Both<Mark>): Ladder {
  const { players, scores } = ladder.matches[number - 1];
  const contenders = players.map((player): Contender => {
    const games = countedOf(ladder, player).length;
    return { ...ladder.players[player - 1].mark, games };
  }) as unknown as Both<Contender>;
  const isRight = isRated(ladder.terms.rating, contenders, scoreOf(scores), after);
  must(isRight, ratingRule(ladder), `match ${number} has a rating that differs from the formula`);
  const before: Both<Mark> = [ladder.players[players[0] - 1].mark, ladder.players[players[1] - 1].mark];
  let next = withMatch(ladder, number, {
    ...{ status: "counted", turn: ladder.order.length + 1, effect: { before, after } },
    ...{ changedAt: ladder.at, countedAt: ladder.at },
  });
  next = { ...next, order: [...ladder.order, number] };
  for (const [which, player] of players.entries()) {
    const { version } = ladder.players[player - 1];
    next = withPlayer(next, player, { mark: after[which], version: version + 1 });
  }
  return next;
}

/** LD8: the matches to be recounted when one is voided, in order, and the players affected. */
export function touchedBy(
  ladder: Ladder,
  voided: LadderMatch,
): { matches: LadderMatch[]; players: Set<number> } {
  const players = new Set(voided.players);
  const since = counting(ladder);
  const matches = since
    .slice(since.findIndex(({ number }) => number === voided.number) + 1)
    .filter((later) => {
      if (!later.players.some((player) => players.has(player))) return false;
      for (const player of later.players) players.add(player);
      return true;
    });
  return { matches, players };
}

/** All matches that count, rated from the first one, with nothing cached. */
export function ratedFromScratch(ladder: Ladder): { marks: Mark[]; effects: Map<number, Effect> } {
  const { rating } = ladder.terms;
  const contenders: Contender[] = ladder.players.map(({ start }) => ({
    ...newcomer(rating, start),
    games: 0,
  }));
  const effects = new Map<number, Effect>();
  for (const { number, players, scores, effect } of counting(ladder)) {
    const both: Both<Contender> = [contenders[players[0] - 1], contenders[players[1] - 1]];
    const { after } = effect!;
    must(
      isRated(rating, both, scoreOf(scores), after),
      "LD8",
      `match ${number} was rated as if another match still counted`,
    );
    effects.set(number, { before: [markOf(both[0]), markOf(both[1])], after });
    for (const [which, player] of players.entries())
      contenders[player - 1] = { ...after[which], games: both[which].games + 1 };
  }
  return { marks: contenders.map(markOf), effects };
}

function markOf({ rating, deviation, volatility }: Mark): Mark {
  return { rating, deviation, volatility };
}
