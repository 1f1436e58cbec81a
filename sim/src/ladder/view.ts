import {
  type Ladder as LadderRoom,
  type LadderSettings,
  type LadderTerms,
  ladderStatusOf,
  type PersonId,
  playerCalled as playerCalledIn,
  type Standing,
  type StandingsCursor,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import type { Glance } from "../specification.ts";
import {
  countedOf,
  disputeOf,
  inStatus,
  type Ladder,
  type LadderPlayer,
  playerCalled,
  statusOf,
} from "./ladder.ts";
import { scoreOf } from "./ratings.ts";

/** What can be known about a ladder. Kernel ladders and model ladders are compared in this form. */
export interface LadderView {
  readonly status: string;
  readonly terms: LadderTerms;
  readonly settings: LadderSettings;
  readonly matches: number;
  readonly players: number;
  /** LD7: everyone in the ladder, best first. */
  readonly standings: readonly StandingView[];
  /** The viewer's own standing, also after leaving. */
  readonly mine: StandingView | null;
  /** LD9: matches waiting for confirmation. */
  readonly pending: readonly PendingView[];
  /** LD13: banned players by number. */
  readonly banned: readonly number[];
  readonly imports: readonly { readonly digest: string; readonly rows: number; readonly done: number }[];
}

type StandingView = Omit<
  Standing,
  "deviation" | "volatility" | "rank" | "leftAt" | "lastTurn" | "number" | "person"
> & {
  readonly number: number;
  readonly person: string;
  readonly deviation: number | null;
  readonly volatility: number | null;
  readonly rank: number | null;
  readonly leftAt: number | null;
};

interface PendingView {
  readonly match: number;
  readonly players: readonly number[];
  readonly scores: readonly number[];
  readonly reporter: string;
  readonly lapsesAt: number;
  /** LD14. */
  readonly dispute: number | null;
}

/** LD11: players per page of the standings. */
const pagePlayers = 3;

/** The view according to the kernel's public queries. */
export function viewOfLadderRoom(room: LadderRoom, { by }: Glance): LadderView {
  const number = playerCalledIn(room, by as PersonId);
  return {
    status: ladderStatusOf(room),
    terms: room.terms,
    settings: room.settings,
    matches: room.counting,
    players: room.players.present,
    standings: standingsIn(room).map((standing) => standingShown(room, standing)),
    mine: number === undefined ? null : standingShown(room, standingOf(room, number)),
    pending: [...room.pending]
      .map(([match, { players, scores, reporter, lapsesAt }]) => ({
        match,
        players,
        scores,
        reporter,
        lapsesAt,
        dispute: room.pending.disputeOf(match) ?? null,
      }))
      .sort((a, b) => a.match - b.match),
    banned: [...room.banned].sort((a, b) => a - b),
    imports: Array.from(room.imports, ([digest, { rows, done }]) => ({ digest, rows, done })),
  };
}

function standingsIn(room: LadderRoom): readonly Standing[] {
  const standings: Standing[] = [];
  let cursor: StandingsCursor | undefined;
  // A corrupt order may contain a cycle.
  while (standings.length <= room.players.present) {
    const page = standingsAfter(room, cursor, pagePlayers);
    const last = page.at(-1);
    if (!last) break;
    standings.push(...page);
    cursor = { rating: last.rating, player: last.number };
  }
  return standings;
}

function standingShown({ terms }: LadderRoom, standing: Standing): StandingView {
  const { number, person, name, enrolledAt, leftAt = null, version, games, rating, rank = null } = standing;
  const { wins, draws, losses, provisional } = standing;
  const isElo = terms.rating.system === "elo";
  const [deviation, volatility] = isElo ? [null, null] : [standing.deviation, standing.volatility];
  return {
    ...{ number, person, name, enrolledAt, leftAt, version, games, rating, deviation, volatility },
    ...{ wins, draws, losses, rank, provisional },
  };
}

/** The ladder as the person may see it. */
export function viewOfLadder(ladder: Ladder, { by }: Glance): LadderView {
  const { terms, settings, files } = ladder;
  const standings = standingsOf(ladder);
  const mine = playerCalled(ladder, by);
  return {
    status: statusOf(ladder),
    ...{ terms, settings, matches: inStatus(ladder, "counted").length, players: standings.length },
    standings: standings.map((player) => standingIn(ladder, player)),
    mine: mine ? standingIn(ladder, mine) : null,
    pending: inStatus(ladder, "pending").map((each) => {
      const { number: match, players, scores, reporter, lapsesAt } = each;
      const dispute = disputeOf(ladder, each)?.number ?? null;
      return { match, players, scores, reporter, lapsesAt: lapsesAt!, dispute };
    }),
    banned: ladder.players.flatMap(({ number, banned }) => (banned ? [number] : [])),
    imports: files.map(({ digest, rows, done }) => ({ digest, rows: rows.length, done })),
  };
}

/** LD7: by rating; equal ratings in order of enrolment. */
export function standingsOf({ players }: Ladder): readonly LadderPlayer[] {
  const present = players.filter(({ leftAt }) => leftAt === null);
  return present.sort((a, b) => b.mark.rating - a.mark.rating || a.number - b.number);
}

export function standingIn(ladder: Ladder, player: LadderPlayer): StandingView {
  const { number, person, name, enrolledAt, leftAt, mark, version } = player;
  const results = countedOf(ladder, number).map(({ players, scores }) =>
    players[0] === number ? scoreOf(scores) : 1 - scoreOf(scores),
  );
  const ended = (score: number) => results.filter((each) => each === score).length;
  const games = results.length;
  const higher = standingsOf(ladder).filter((other) => other.mark.rating > mark.rating).length;
  const { system, provisionalGames, provisionalDeviation } = ladder.terms.rating;
  return {
    ...{ number, person, name, enrolledAt, leftAt, version, games, ...mark },
    ...{ wins: ended(1), draws: ended(0.5), losses: ended(0) },
    rank: leftAt === null ? higher + 1 : null,
    provisional: system === "elo" ? games < provisionalGames : mark.deviation! > provisionalDeviation,
  };
}
