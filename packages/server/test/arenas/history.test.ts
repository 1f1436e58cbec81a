import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaDecider,
  ladderDecider,
} from "@openseat/kernel";
import { Matches } from "../../src/app/arenas/matches.ts";
import { TimeSlices } from "../../src/scheduling/time-slices.ts";
import { replayText } from "../../src/transport/http/arenas/replay-text.ts";
import { LiveClient } from "../live/clients.ts";
import { assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { answered } from "../support/test-clock.ts";
import { draw, elsewhere, Hall, patient, quickWin } from "./hall.ts";
import { ArenaStage } from "./stage.ts";

/** What a spectator saw of each match: the table before the first move, and after each. */
function seenLive(feed: readonly Json[]): Map<string, { start: Json; moves: Json[] }> {
  const matches = new Map<string, { start: Json; moves: Json[] }>();
  let running: string | undefined;
  for (const { at, changes, state } of feed) {
    for (const change of changes ?? []) {
      if (change.type === "moved") {
        const isOver = changes.some(({ type }: Json) => type === "match-ended");
        const sight = isOver ? state.lastSight : state.match.sight;
        matches.get(running!)!.moves.push({ label: change.label, move: change.move, at, sight });
      }
      if (change.type !== "match-started") continue;
      running = change.match as string;
      matches.set(running, { start: state.match.sight, moves: [] });
    }
  }
  return matches;
}

suite("matches that are over", () => {
  let server: TestServer;
  let hall: Hall;

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(() => server.stop());

  async function throwsOf(id: string, rounds: readonly (readonly [string, string])[]): Promise<void> {
    for (const throws of rounds) {
      const { players, match } = (await hall.look(id)).state;
      for (const [seat, move] of throws.entries())
        await hall.move(id, players[seat].person.id, match.id, move, { turn: match.turn });
    }
  }

  const games: readonly [game: string, play: (id: string) => Promise<unknown>][] = [
    ["tic-tac-toe", (id) => hall.play(id, [...quickWin, ...draw])],
    [
      "connect-four",
      (id) => hall.play(id, ["a", "b", "a", "b", "a", "b", "a", "c", "d", "c", "d", "c", "e", "c"]),
    ],
    [
      "rock-paper-scissors",
      (id) =>
        throwsOf(id, [
          ["rock", "paper"],
          ["paper", "paper"],
          ["scissors", "rock"],
          ["paper", "rock"],
          ["paper", "rock"],
        ]),
    ],
  ];
  for (const [game, play] of games) {
    test(`[MT4] a replay of ${game} is what was seen live, move by move, and stays so`, async () => {
      const id = await hall.newArena({ game, ...patient });
      const spectator = await LiveClient.open(server.url);
      await spectator.ask({ type: "watch", arena: id });
      await spectator.at(1);
      for (const person of ["ann", "bob", "cat"]) await hall.join(id, person);
      await play(id);
      const { version } = await hall.look(id);
      await spectator.at(version);
      const isSecret = game === "rock-paper-scissors";
      const { matches } = (await hall.matches(id)).body.data;
      assert.equal(matches.length, 2);
      const replays = [];
      for (const result of matches) {
        const replay = await hall.replay(id, result.id);
        assert.equal(replay.status, 200, replay.text);
        const { match, start, moves, game: shown } = replay.body.data;
        const seen = seenLive(spectator.feed).get(result.id)!;
        assert.deepEqual(match, result);
        assert.equal(shown.name, game);
        assert.deepEqual(start, seen.start);
        // During the match, only the table reveals a secret move.
        const told = moves.map((it: Json) => (isSecret ? { ...it, move: null } : it));
        assert.deepEqual(told, seen.moves);
        assert.equal(moves.length, result.moves);
        replays.push(replay.text);
      }
      assert.doesNotMatch(JSON.stringify(spectator.feed), /"played":/, "spectators have seen the moves");
      spectator.close();
      if (isSecret) assert.match(replays.join(), /"label":"A","move":"scissors"/);
      server = await server.restart();
      hall = new Hall(server);
      for (const [index, { id: match }] of matches.entries())
        assert.equal((await hall.replay(id, match)).text, replays[index]);
    });
  }

  test("[MT4] matches that were resigned, left or reported are replayed as far as they went", async () => {
    const { id, match } = await hall.playing(["ann", "bob", "cat"]);
    await hall.play(id, ["b2", "a1"]);
    await hall.resign(id, "ann", match);
    const replay = (await hall.replay(id, match)).body.data;
    assert.deepEqual(
      replay.moves.map(({ move }: Json) => move),
      ["b2", "a1"],
    );
    assert.deepEqual([replay.match.reason, replay.match.winner], ["resigned", "O"]);
    const away = await hall.playing(["ann", "bob"], elsewhere);
    await hall.report(away.id, away.match, "1");
    assert.deepEqual((await hall.replay(away.id, away.match)).body.data, {
      match: (await hall.matches(away.id)).body.data.matches[0],
      game: null,
      start: null,
      moves: [],
    });
  });

  test("[MT4] [MT3] a running match cannot be replayed, not even at the moment of a resignation", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { game: "rock-paper-scissors" });
    await hall.move(id, "ann", match, "rock");
    assertRefused(await hall.replay(id, match), 409, "match.running");
    assert.deepEqual((await hall.matches(id)).body.data, { matches: [], nextCursor: null });
    const [replays] = await Promise.all([
      Promise.all(range(8).map(() => hall.replay(id, match))),
      hall.resign(id, "bob", match),
    ]);
    for (const { status, body } of replays)
      if (status === 200) assert.equal(body.data.match.reason, "resigned");
      else assert.equal(body.code, "match.running");
    assert.equal((await hall.replay(id, match)).status, 200);
  });

  test("[MT4] the pages of the history stay unchanged during later matches, and each match is on exactly one of them", async () => {
    const { id } = await hall.playing(["ann", "bob"], elsewhere);
    let next = 3;
    const report = async () => {
      const answer = await hall.report(id, String(next++), next % 3 === 0 ? null : "1");
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.result;
    };
    const results: Json[] = [];
    for (const _ of range(60)) results.push(await report());
    const seen: Json[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await hall.matches(id, `?limit=7${cursor && `&cursor=${cursor}`}`);
      assert.equal(page.status, 200, page.text);
      seen.push(...page.body.data.matches);
      cursor = page.body.data.nextCursor;
      await report();
    }
    assert.deepEqual(seen, results.toReversed());
  });
});

const matchesOf = ({ host, clock }: ArenaStage, entriesMax?: number) =>
  new Matches(host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena"), new TimeSlices(clock), entriesMax);

/** The complete response, or the refusal. */
async function replayed(matches: Matches, match: number): Promise<Json> {
  const replay = await answered(matches.replay("a", match));
  if ("refusal" in replay) return replay.refusal;
  let whole = "";
  for await (const piece of replayText(replay)) whole += piece;
  return JSON.parse(whole);
}

/** Like versions that stored no moves in the end of a match. */
const olderDecider: typeof arenaDecider = {
  ...arenaDecider,
  decide(room, command, now) {
    const decision = arenaDecider.decide(room, command, now);
    if ("refusal" in decision) return decision;
    const events = decision.events.map((event) => {
      if (event.type !== "ended") return event;
      const { played, ...ended } = event;
      return ended;
    });
    return { ...decision, events };
  },
};
const older = { deciders: { arena: olderDecider, ladder: ladderDecider } };

/** Counts reads from the log, and yields of long work. */
function counted(stage: ArenaStage) {
  const counts = { lines: 0, pages: 0, slices: 0 };
  const { log } = stage;
  const line = log.line.bind(log);
  log.line = (...given) => {
    counts.lines++;
    return line(...given);
  };
  const read = log.read.bind(log);
  log.read = (...given) => {
    counts.pages++;
    return read(...given);
  };
  const slices = new TimeSlices(stage.clock);
  const run = slices.run.bind(slices);
  slices.run = (slice) => {
    counts.slices++;
    return run(slice);
  };
  const streams = stage.host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena");
  return { counts, matches: new Matches(streams, slices) };
}

/** A match during which others join and leave this many times; its id. */
async function crowded(stage: ArenaStage, comings: number): Promise<number> {
  await stage.opened(["ann", "bob"], { reconnectGraceSeconds: null });
  const match = Number((await stage.get()).state.match.id);
  for (const index of range(comings)) await stage.join(`p${index}`);
  for (const move of quickWin) {
    const { state } = await stage.get();
    const [label] = state.match.toMove;
    await stage.move(state.players.find((player: Json) => player.label === label).person.id, move);
  }
  return match;
}

test("[LM10] [MT4] a replay reads only the entries that began and ended the match", async () => {
  const stage = new ArenaStage();
  const match = await crowded(stage, 700);
  const { counts, matches } = counted(stage);
  const { data } = await replayed(matches, match);
  assert.deepEqual(
    data.moves.map(({ move }: Json) => move),
    quickWin,
  );
  assert.deepEqual([counts.lines, counts.pages], [2, 0]);
});

test("[LM10] [MT4] a match from an older version is replayed identically from all its entries, yielding between them", async () => {
  const stage = new ArenaStage(older);
  const match = await crowded(stage, 700);
  const { counts, matches } = counted(stage);
  const { data } = await replayed(matches, match);
  const now = new ArenaStage();
  const newer = (await replayed(matchesOf(now), await crowded(now, 700))).data;
  // The first player is drawn at random, so labels may differ.
  const played = ({ moves }: Json) => moves.map(({ move, at }: Json) => ({ move, at }));
  assert.deepEqual(played(data), played(newer));
  assert.ok(counts.slices >= 7, `gave way ${counts.slices} times`);
});

test("[LM10] a match from an older version is read no further once the client has disconnected", async () => {
  const stage = new ArenaStage(older);
  const match = await crowded(stage, 700);
  const { counts, matches } = counted(stage);
  await answered(matches.replay("a", match, () => counts.slices < 2));
  assert.equal(counts.slices, 2);
});

test("[LM10] a replay of very many moves is made in parts, and yields before each", async () => {
  const moves = 500;
  const stage = new ArenaStage();
  const match = await crowded(stage, 0);
  const { counts, matches } = counted(stage);
  // Tables are made by the rules alone, so the end may tell more moves than were made.
  const { line } = stage.log;
  stage.log.line = async (...given) => {
    const text = await line.apply(stage.log, given);
    const entry = JSON.parse(text!);
    for (const event of entry.events)
      if (event.type === "ended") event.played = range(moves).map((index) => [index % 2, "a1", index]);
    return JSON.stringify(entry);
  };
  const { data } = await replayed(matches, match);
  assert.equal(data.moves.length, moves);
  assert.equal(counts.slices, moves / 50);
});

test("[LM2] a match from an older version is replayed only up to a limit of entries", async () => {
  const stage = new ArenaStage(older);
  const match = await crowded(stage, 15);
  const entries = 15 + quickWin.length;
  assert.equal((await replayed(matchesOf(stage, entries), match)).data.moves.length, quickWin.length);
  assert.equal((await replayed(matchesOf(stage, entries - 1), match)).code, "match.too-long");
});
