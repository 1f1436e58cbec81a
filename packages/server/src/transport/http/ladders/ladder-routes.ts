import type { MatchNumber, MatchStatus, PersonId } from "@openseat/kernel";
import {
  Enrolled,
  Enrolment,
  HeadToHead,
  Id,
  LadderAtVersion,
  LadderChanges,
  LadderList,
  LadderListQuery,
  LadderMatchList,
  LadderMatchMade,
  LadderMatchOnly,
  LadderMatchQuery,
  LadderMatchSettled,
  LadderPlayerOnly,
  LadderTermsOnly,
  NewLadder,
  NewLadderMatch,
  PlayerBanned,
  PlayerLeft,
  PlayerSearch,
  PlayersFound,
  RatingHistory,
  RatingHistoryQuery,
  Standings,
  StandingsQuery,
  UserId,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import { LadderBook } from "../../../app/ladders/ladder-book.ts";
import { LadderExports } from "../../../app/ladders/ladder-exports.ts";
import { LadderImports } from "../../../app/ladders/ladder-imports.ts";
import { Ladders, type LaddersDeps } from "../../../app/ladders/ladders.ts";
import type { Clock } from "../../../clock.ts";
import type { LadderRecords } from "../../../host/streams.ts";
import type { TimeSlices } from "../../../time-slices.ts";
import { anyRole } from "../../auth/access.ts";
import { roomCost, voidCost } from "../../limits/charge-more.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import { limitConcurrency } from "../../limits/limit-concurrency.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { answering } from "../envelope.ts";
import { expressRoute } from "../fast-path/express-route.ts";
import type { ExpressLane } from "../fast-path/lane.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";
import { fileRoutes } from "./ladder-file-routes.ts";

/** All that has to do with ladders. */
export interface LadderParts {
  readonly ladders: Ladders;
  readonly book: LadderBook;
  readonly imports: LadderImports;
  readonly exports: LadderExports;
}

export interface LadderDeps extends LaddersDeps {
  readonly records: LadderRecords;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

export function ladderParts(deps: LadderDeps): LadderParts {
  const { streams, records, clock, slices } = deps;
  const book = new LadderBook(streams, records);
  return {
    ladders: new Ladders(deps),
    book,
    imports: new LadderImports({ streams, clock, slices }),
    exports: new LadderExports(book, slices),
  };
}

/** Matches and histories are read from rows, a few at a time: a crowd of such requests must not keep the log busy. */
const lookupsMax = 512;
const lookupsPerAddressMax = 64;

function limitLookups() {
  return limitConcurrency(new ConcurrencyLimit({ max: lookupsMax, perAddressMax: lookupsPerAddressMax }), {
    address: "Too many lookups from your network at once. Please try again in a moment.",
    all: "Too many lookups at once. Please try again in a moment.",
  });
}

const params = Type.Object({ id: Id });
const playerParams = Type.Object({ id: Id, player: UserId });
const againstParams = Type.Object({ id: Id, player: UserId, opponent: UserId });
const matchParams = Type.Object({
  id: Id,
  match: Type.String({ pattern: "^[1-9][0-9]{0,9}$", description: "The number of a match." }),
});
type WithId = { Params: { id: string } };
type WithPlayer = { Params: { id: string; player: string } };
type WithMatch = { Params: { id: string; match: string } };
type Page = { cursor?: string; limit: number };

export async function ladderRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  parts: LadderParts,
  deps: { readonly budgets: WriteBudgets; readonly clock: Clock },
): Promise<void> {
  termsRoutes(app, parts.ladders);
  const onRequest = limitLookups();
  playerRoutes(app, lane, { ...parts, onRequest });
  matchRoutes(app, lane, { ...parts, onRequest });
  await fileRoutes(app, { ...parts, ...deps });
}

function termsRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<{ Body: NewLadder }>(
    "/api/v1/ladders",
    {
      config: { access: anyRole, cost: roomCost },
      schema: schema("Make a ladder", { headers: Keyed, body: NewLadder }, 201, LadderTermsOnly),
    },
    answering((request) => ladders.create(request.identity!, request.body, keyOf(request))),
  );

  app.get<{ Querystring: Page & { status?: string } }>(
    "/api/v1/ladders",
    {
      config: { access: "public" },
      schema: schema("List ladders, the newest first", { querystring: LadderListQuery }, 200, LadderList),
    },
    answering((request) => {
      const { cursor, limit } = pageOf(request.query);
      return ladders.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/ladders/:id",
    {
      config: { access: "public", isPersonal: true },
      schema: schema("Look at a ladder, and at where you stand", { params }, 200, LadderAtVersion),
    },
    answering((request) => ladders.get(request.identity, request.params.id)),
  );

  app.patch<WithId & { Body: LadderChanges }>(
    "/api/v1/ladders/:id",
    {
      config: { access: anyRole },
      schema: schema(
        "Change a ladder you made (or any, as an operator)",
        { params, headers: Keyed, body: LadderChanges },
        200,
        LadderTermsOnly,
      ),
    },
    answering((request) =>
      ladders.change(request.identity!, request.params.id, request.body, keyOf(request)),
    ),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: schema(
        "End a ladder you made (or any, as an operator)",
        { params, headers: Keyed, body: NoBody },
        200,
        LadderTermsOnly,
      ),
    },
    answering((request) => ladders.end(request.identity!, request.params.id, keyOf(request))),
  );
}

type WithLookups = LadderParts & { readonly onRequest: ReturnType<typeof limitLookups> };

function playerRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  { ladders, book, onRequest }: WithLookups,
): void {
  enrolmentRoutes(app, ladders);

  expressRoute(app, lane, {
    method: "POST",
    url: "/api/v1/ladders/:id/join",
    access: ["person"],
    schema: schema("Become a player", { params, headers: Keyed, body: NoBody }, 200, Enrolled),
    handle: ({ identity, id, key }) => ladders.join(identity, id, key),
  });

  app.get<WithId & { Querystring: { cursor?: string; from?: number; limit: number } }>(
    "/api/v1/ladders/:id/standings",
    {
      config: { access: "public" },
      schema: schema(
        "The standings, the best first",
        { params, querystring: StandingsQuery },
        200,
        Standings,
      ),
    },
    answering((request) => book.standings(request.params.id, request.query)),
  );

  app.get<WithId & { Querystring: { search: string; limit: number } }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: "public" },
      schema: schema("Find players by name", { params, querystring: PlayerSearch }, 200, PlayersFound),
    },
    answering((request) => book.search(request.params.id, request.query.search, request.query.limit)),
  );

  app.get<WithPlayer>(
    "/api/v1/ladders/:id/players/:player",
    {
      config: { access: "public" },
      schema: schema("Look at a player, with rank", { params: playerParams }, 200, LadderPlayerOnly),
    },
    answering((request) => book.player(request.params.id, request.params.player)),
  );

  app.get<WithPlayer & { Querystring: Page }>(
    "/api/v1/ladders/:id/players/:player/history",
    {
      onRequest,
      config: { access: "public" },
      schema: schema(
        "How a player's rating went, the newest first",
        { params: playerParams, querystring: RatingHistoryQuery },
        200,
        RatingHistory,
      ),
    },
    answering((request) => {
      const { cursor, limit } = pageOf(request.query);
      return book.history(request.params.id, request.params.player, cursor, limit);
    }),
  );

  app.get<{ Params: { id: string; player: string; opponent: string } }>(
    "/api/v1/ladders/:id/players/:player/against/:opponent",
    {
      onRequest,
      config: { access: "public" },
      schema: schema("How two did against each other", { params: againstParams }, 200, HeadToHead),
    },
    answering(({ params: { id, player, opponent } }) => book.against(id, player, opponent)),
  );
}

function enrolmentRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<WithId & { Body: Enrolment }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: anyRole },
      schema: schema(
        "Enrol somebody on a ladder you made (or on any, as a service or an operator)",
        { params, headers: Keyed, body: Enrolment },
        200,
        Enrolled,
      ),
    },
    answering((request) => ladders.enrol(request.identity!, request.params.id, request.body, keyOf(request))),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: schema("Leave a ladder", { params, headers: Keyed, body: NoBody }, 200, PlayerLeft),
    },
    answering((request) => {
      const identity = request.identity!;
      return ladders.leave(identity, request.params.id, personOf(identity), keyOf(request));
    }),
  );

  app.post<WithPlayer>(
    "/api/v1/ladders/:id/players/:player/leave",
    {
      config: { access: anyRole, isBegun: true },
      schema: schema(
        "Take somebody off a ladder you made (or off any, as a service or an operator)",
        { params: playerParams, headers: Keyed, body: NoBody },
        200,
        PlayerLeft,
      ),
    },
    answering((request) => {
      const { id, player } = request.params;
      return ladders.leave(request.identity!, id, player as PersonId, keyOf(request));
    }),
  );

  for (const [verb, summary] of banning)
    app.post<WithPlayer>(
      `/api/v1/ladders/:id/players/:player/${verb}`,
      {
        config: { access: anyRole, isBegun: true },
        schema: schema(summary, { params: playerParams, headers: Keyed, body: NoBody }, 200, PlayerBanned),
      },
      answering((request) => {
        const { id, player } = request.params;
        return ladders[verb](request.identity!, id, player as PersonId, keyOf(request));
      }),
    );
}

const banning = [
  ["ban", "Ban a player from a ladder you made (or from any, as a service or an operator)"],
  ["unban", "Let a banned player join again"],
] as const;

function matchRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  { ladders, book, onRequest }: WithLookups,
): void {
  expressRoute<NewLadderMatch>(app, lane, {
    method: "POST",
    url: "/api/v1/ladders/:id/matches",
    access: anyRole,
    schema: schema("Report a match", { params, headers: Keyed, body: NewLadderMatch }, 200, LadderMatchMade),
    handle: ({ identity, id, key, body, address }) => ladders.report(identity, id, body, { address, key }),
  });

  app.get<WithId & { Querystring: Page & { player?: string; opponent?: string; status?: MatchStatus } }>(
    "/api/v1/ladders/:id/matches",
    {
      onRequest,
      config: { access: "public" },
      schema: schema(
        "List matches, the newest first",
        { params, querystring: LadderMatchQuery },
        200,
        LadderMatchList,
      ),
    },
    answering(({ params: { id }, query }) => {
      const { cursor, limit } = pageOf(query);
      const { player, opponent, status } = query;
      return book.matches(id, { player, opponent, status, before: cursor, limit });
    }),
  );

  app.get<WithMatch>(
    "/api/v1/ladders/:id/matches/:match",
    {
      config: { access: "public" },
      schema: schema("Look at a match", { params: matchParams }, 200, LadderMatchOnly),
    },
    answering(({ params: { id, match } }) => book.match(id, Number(match) as MatchNumber)),
  );

  const settling = [
    {
      verb: "confirm",
      access: ["person"],
      summary: "Confirm a match that your opponent reported",
      data: LadderMatchMade,
    },
    {
      verb: "decline",
      access: ["person"],
      summary: "Decline a match that your opponent reported",
      data: LadderMatchSettled,
    },
    {
      verb: "void",
      access: anyRole,
      summary: "Take back a match you reported (or any, as the maker of the ladder or an operator)",
      data: LadderMatchSettled,
    },
  ] as const;
  for (const { verb, access, summary, data } of settling) {
    const cost = verb === "void" ? { cost: voidCost } : {};
    app.post<WithMatch>(
      `/api/v1/ladders/:id/matches/:match/${verb}`,
      {
        config: { access, isBegun: true, ...cost },
        schema: schema(summary, { params: matchParams, headers: Keyed, body: NoBody }, 200, data),
      },
      answering((request) => {
        const { id, match } = request.params;
        return ladders[verb](request.identity!, id, Number(match) as MatchNumber, keyOf(request));
      }),
    );
  }
}
