import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Games } from "../../src/app/games/games.ts";
import { conflict } from "../../src/host/stream/asks.ts";
import { gameAnswers } from "../../src/transport/http/games/game-answers.ts";
import { tableRows } from "../docs/reference.ts";
import { LiveClient } from "../live/clients.ts";
import type { Client, Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

/** The same question over the fast path, Node's server, and a live message, in sequence. */
type Ask = (question: string) => Promise<Json>;

suite("the messages of games, which are those of the design document", () => {
  let server: TestServer;
  let client: Client;
  let live: LiveClient;

  before(async () => {
    server = await startServer([...issuerFlags]);
    client = server.client;
    live = await LiveClient.open(server.url, { token: tokenOf("ann") });
  });
  after(async () => {
    live.close();
    await server.stop();
  });

  const token = tokenOf("ann");
  const ways = (game: string): Record<string, Ask> => ({
    "the fast path": async (what) =>
      (await client.call(pathOf(game, what), { method: methodOf(what), token })).body,
    // The fast path does not accept a query string.
    HTTP: async (what) =>
      (await client.call(`${pathOf(game, what)}?`, { method: methodOf(what), token })).body,
    "a live message": async (type) => (await live.ask({ type, game })).body,
  });
  const pathOf = (game: string, what: string) => `/api/v1/games/${game}/${what}`;
  const methodOf = (what: string) => (what === "can-join" ? "GET" : "POST");

  /** Each path has its own game. */
  async function assertSaid(
    what: string,
    prepare: () => Promise<string>,
    expected: Json,
    pick: (body: Json) => Json = ({ message, statusCode, code }) => [message, statusCode, code],
  ): Promise<void> {
    for (const way of ["the fast path", "HTTP", "a live message"])
      assert.deepEqual(pick(await ways(await prepare())[way](what)), expected, `${what} by ${way}`);
  }

  const open = () => client.newGame({ maxPlayers: 1 });
  const nowhere = async () => "nowhere";
  async function own(): Promise<string> {
    const game = await open();
    await client.join(game, "ann");
    return game;
  }
  async function full(): Promise<string> {
    const game = await open();
    await client.join(game, "bob");
    return game;
  }
  async function ended(game: string): Promise<string> {
    await client.end(game);
    return game;
  }

  test("[GM1] a join that takes a seat", () =>
    assertSaid("join", open, ["Successfully joined the game", undefined, undefined]));

  test("[GM2] every join that is refused", async () => {
    await assertSaid("join", nowhere, ["Game not found", 404, "room.not-found"]);
    await assertSaid("join", async () => ended(await open()), ["Cannot join ended game", 400, "room.ended"]);
    await assertSaid("join", own, ["You have already joined this game", 400, "place.exists"]);
    await assertSaid("join", full, ["Game is full", 400, "room.full"]);
  });

  test("[GM2] a join that loses to concurrent commits too often", async () => {
    const streams = {
      noteHeartbeat() {},
      ask: async () => ({ refusal: conflict }),
    } as unknown as ConstructorParameters<typeof Games>[0];
    const games = new Games(streams, undefined as unknown as ConstructorParameters<typeof Games>[1]);
    const answer = gameAnswers.joined(
      await games.join({ role: "person", by: "ann", name: null } as never, "g"),
    );
    assert.deepEqual(answer.body, {
      success: false,
      message: "Failed to join game. Please try again.",
      statusCode: 409,
      code: "room.conflict",
      retryable: true,
    });
  });

  test("[GM4] a leave, and every leave that is refused", async () => {
    await assertSaid("leave", own, ["Successfully left the game", undefined, undefined]);
    await assertSaid("leave", nowhere, ["Game not found", 404, "room.not-found"]);
    await assertSaid("leave", open, ["You are not a participant of this game", 400, "place.missing"]);
    await assertSaid("leave", async () => ended(await own()), ["Cannot leave ended game", 400, "room.ended"]);
  });

  test("[GM5] the reasons of can-join, all that apply", async () => {
    const reasons = ({ message, data }: Json) => [message, data.reasons];
    const checked = (...expected: string[]) => ["Join eligibility checked", expected];
    const alone = async () => ended(await full());
    const inside = async () => ended(await own());
    await assertSaid("can-join", open, checked(), reasons);
    await assertSaid("can-join", full, checked("Game is full"), reasons);
    await assertSaid("can-join", own, checked("Already joined this game", "Game is full"), reasons);
    await assertSaid("can-join", alone, checked("Game has ended", "Game is full"), reasons);
    const all = checked("Game has ended", "Already joined this game", "Game is full");
    await assertSaid("can-join", inside, all, reasons);
  });

  test("[GM5] can-join of a game that does not exist is an answer with that reason", () =>
    assertSaid(
      "can-join",
      nowhere,
      {
        success: true,
        message: "Join eligibility checked",
        data: {
          canJoin: false,
          reasons: ["Game not found"],
          codes: ["room.not-found"],
          availableSlots: 0,
          isParticipant: false,
          isWaiting: false,
          yourPosition: null,
          wouldWait: false,
        },
      },
      (body) => body,
    ));

  test("docs/reference/refusals.md lists them beside their codes", () => {
    const rows = tableRows("docs/reference/refusals.md", ["Message", "Code", "As a reason of `can-join`"]);
    assert.deepEqual(rows, [
      ["Game not found", "room.not-found", "Game not found"],
      ["Cannot join ended game", "room.ended", "Game has ended"],
      ["Cannot leave ended game", "room.ended", ""],
      ["You have already joined this game", "place.exists", "Already joined this game"],
      ["You are not a participant of this game", "place.missing", ""],
      ["Game is full", "room.full", "Game is full"],
      ["Failed to join game. Please try again.", "room.conflict", ""],
    ]);
  });
});
