import assert from "node:assert/strict";
import { test } from "node:test";
import { Hall, labelled, patient } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { type Answer, type Client, type Json, range, until } from "../support/http.ts";
import { againIfLate } from "../support/patience.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";
import { type KeyedAct, KillRounds, killsOr } from "./rounds.ts";

const kills = killsOr(6);
/** Per round, on average. */
const matchesMin = 2;
/** Matches per page of the history. */
const pageMax = 500;
const serviceKey = "service_key_of_the_crash_test_of_arenas";
const operatorKey = "operator_key_of_the_crash_test_of_arenas";

const arenas = [
  { ...patient, id: "ttt", game: "tic-tac-toe", maxWins: 2 },
  { ...patient, id: "rps", game: "rock-paper-scissors", options: { bestOf: 1 }, drawRule: "both-leave" },
  { ...patient, id: "away", game: null, labels: ["a", "b", "c"], seats: 3 },
] as const;
const people = arenas.flatMap(({ id }) => range(7).map((index) => ({ id, person: `${id}-${index}` })));

interface Act extends KeyedAct {
  readonly type: "join" | "leave" | "move" | "resign" | "report";
  readonly id: string;
  readonly person: string;
  readonly match: string;
  readonly turn: number | undefined;
  readonly move: string;
}

function send(hall: Hall, { type, id, person, match, turn, move, key }: Act): Promise<Answer> {
  if (type === "move") return hall.move(id, person, match, move, { turn, key });
  if (type === "resign") return hall.resign(id, person, match, { key });
  if (type === "report") return hall.report(id, match, move, { key });
  return hall[type](id, person, { key });
}

/** Refusals because other people were faster. */
const late = new Set([
  "match.stale",
  "match.over",
  "match.none",
  "turn.stale",
  "seat.missing",
  "result.exists",
  "seat.unknown",
]);

/** A person who joins, plays and sometimes resigns. In the line they mostly wait. */
function nextAct(
  { id, person }: (typeof people)[number],
  state: Json,
  chance: number,
  key: string,
): Act | undefined {
  const { you, match } = state;
  const act = { id, person, match: match?.id ?? "", turn: match?.turn ?? undefined, move: "", key };
  if (!you) return { ...act, type: "join" };
  if (you.moves.length > 0 && chance > 0.06)
    return { ...act, type: "move", move: you.moves[Math.floor(chance * 997) % you.moves.length] };
  if (match && you.state === "seated" && chance < 0.04) return { ...act, type: "resign" };
  if (id === "away" && match && chance > 0.5) return { ...act, type: "report", move: state.players[0].label };
  return chance < 0.08 ? { ...act, type: "leave" } : undefined;
}

/** Replays an arena from the feed of a watcher since its first entry, and checks every step. */
class Retold {
  version = 0;
  readonly seats = new Map<string, string>();
  line: string[] = [];
  readonly results: Json[] = [];
  running: string | undefined;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  take(change: Json): void {
    const { type, person, label } = change;
    if (type === "entered") {
      assert.ok(!this.line.includes(person) && ![...this.seats.values()].includes(person), `${person} twice`);
      this.line.splice(change.position - 1, 0, person);
    } else if (type === "seated") {
      assert.equal(this.line.shift(), person, "not the front of the line");
      assert.ok(!this.seats.has(label), `two players on ${label}`);
      assert.equal(this.running, undefined, "seated during a match");
      this.seats.set(label, person);
      assert.ok(this.seats.size <= this.#max, "more players than seats");
    } else if (type === "left") {
      assert.ok(!/forfeited|heartbeat/.test(change.reason), `${person} was sent away by a crash`);
      const seat = [...this.seats].find(([, player]) => player === person)?.[0];
      if (seat !== undefined) this.seats.delete(seat);
      else this.line = this.line.filter((other) => other !== person);
    } else if (type === "match-started") {
      assert.equal(this.running, undefined, "a match began during another");
      assert.equal(this.seats.size, this.#max, "a match began with an empty seat");
      this.running = change.match;
    } else if (type === "match-ended") {
      assert.equal(change.result.id, this.running, "a result of another match");
      this.running = undefined;
      this.results.push(change.result);
    }
  }
}

/** Fetches all changes since the last call: a server replays only the entries of a few rounds to a watcher. */
async function takeNews(retold: Retold, url: string, id: string): Promise<Json> {
  const live = await LiveClient.open(url);
  try {
    await live.ask({ type: "watch", arena: id, after: retold.version });
    const { state, version } = await until("the view", () => live.feed.find(({ type }) => type === "view"));
    for (const change of live.feed.flatMap(({ changes }) => changes ?? [])) retold.take(change);
    retold.version = version;
    return state;
  } finally {
    live.close();
  }
}

/** The latest finished matches, newest first: one page or all. */
async function historyOf(hall: Hall, id: string, which: "page" | "all"): Promise<Json[]> {
  const matches: Json[] = [];
  let cursor = "";
  do {
    const { data } = (await hall.matches(id, `?limit=${pageMax}${cursor && `&cursor=${cursor}`}`)).body;
    matches.push(...data.matches);
    cursor = data.nextCursor ?? "";
  } while (which === "all" && cursor);
  return matches;
}

/** AR1, AR2, AR4: no seat is taken twice, each match has one result. LG3: its moves are those that were acknowledged. */
async function assertConsistent(
  hall: Hall,
  url: string,
  told: ReadonlyMap<string, Retold>,
  effects: readonly Act[],
  which: "page" | "all",
): Promise<number> {
  let over = 0;
  for (const { id } of arenas) {
    const retold = told.get(id)!;
    const state = await takeNews(retold, url, id);
    assert.deepEqual(labelled(state.players), Object.fromEntries(retold.seats));
    assert.deepEqual(
      state.line.map(({ person }: Json) => person.id),
      retold.line,
    );
    assert.equal(state.match?.id, retold.running);
    const matches = await historyOf(hall, id, which);
    const newest = retold.results.toReversed().slice(0, which === "page" ? pageMax : undefined);
    assert.deepEqual(matches, newest, "the history agrees with the answers");
    const moves = effects.filter((act) => act.id === id && act.type === "move");
    const inRunning = moves.filter(({ match }) => match === retold.running).length;
    assert.equal(state.match?.moves ?? 0, inRunning, `moves in the match that is on in ${id}`);
    for (const result of matches.slice(0, 40)) {
      const replay = (await hall.replay(id, result.id)).body.data;
      for (const { label, person } of result.players) {
        const made = moves.filter((act) => act.match === result.id && act.person === person.id);
        const kept = replay.moves.filter((step: Json) => step.label === label);
        assert.deepEqual(
          kept.map(({ move }: Json) => move),
          made.map(({ move }) => move),
          `the moves of ${person.id} in ${id} ${result.id}`,
        );
      }
    }
    over += retold.results.length;
  }
  return over;
}

test(`[LG3] [AR2] [AR4] [MT4] [LS4] ${kills} kills during arena matches: no move is lost, no seat is taken twice, every match has one result`, async (context) => {
  const rounds = new KillRounds<Act>();
  const told = new Map(arenas.map((arena) => [arena.id, new Retold("seats" in arena ? arena.seats : 2)]));
  /** Matches that somebody has seen. All but the latest of each arena are over. */
  const begun = new Set<string>();
  const hallOf = (client: Client) => new Hall({ client, serviceKey, operatorKey });
  let over = 0;

  async function nextOf(client: Client, somebody: (typeof people)[number]): Promise<Act | undefined> {
    const { state } = await hallOf(client).look(somebody.id, somebody.person);
    if (state.match) begun.add(`${somebody.id} ${state.match.id}`);
    return nextAct(somebody, state, rounds.random(), rounds.newKey());
  }

  function note(act: Act, { status, body, text }: Answer): boolean {
    if (status === 200) return true;
    const expected = act.type === "join" ? body?.code === "place.exists" : late.has(body?.code);
    assert.ok(expected || body?.code === "place.missing", `${JSON.stringify(act)}: ${text}`);
    return false;
  }

  await rounds.run(context, {
    ...{ kills, answersMax: 200, replaysMax: 60, note },
    flags: ["--service-key", serviceKey, "--operator-key", operatorKey],
    people: people.map((somebody) => (client) => nextOf(client, somebody)),
    send: (client, act) => send(hallOf(client), act),
    async begin(client) {
      for (const arena of arenas) await hallOf(client).newArena(arena);
    },
    async check({ client, server, isLast }) {
      const which = isLast ? "all" : "page";
      over = await assertConsistent(hallOf(client), server.url, told, rounds.effects, which);
    },
    // The answers alone do not prove that matches were played: people join, leave, and come too late.
    counts: ({ index }) => begun.size > matchesMin * (index + 1) + arenas.length,
  });
  assert.ok(over > matchesMin * kills, `only ${over} matches were played to their end`);
});

test("[LS4] [AR8] [AR9] killed and down for longer than the grace period and the turn: the match continues with full time", () =>
  againIfLate(async (inTime) => {
    const folder = diskFolder();
    const flags = ["--data", folder.path, ...issuerFlags];
    let server = await ChildServer.start(flags);
    try {
      let hall = new Hall({ client: server.client() });
      const times = { moveTimeoutSeconds: 6, reconnectGraceSeconds: 6, heartbeatTimeoutSeconds: 6 };
      const { id, match, before } = await inTime(5_000, async () => {
        const playing = await hall.playing(["ann", "bob", "cat"], times);
        const { state } = await hall.look(playing.id);
        hall.client.close();
        await server.kill();
        return { ...playing, before: state };
      });
      await until("the turn would have run out", () => Date.now() > Date.parse(before.match.moveBy) + 500);
      await inTime(5_000, async () => {
        server = await ChildServer.start(flags);
        hall = new Hall({ client: server.client() });
        const started = Date.now();
        const { state } = await hall.look(id);
        assert.equal(state.match.id, match);
        assert.deepEqual([state.players, state.line], [before.players, before.line]);
        assert.ok(Date.parse(state.match.moveBy) > started, "the clock of the turn restarts");
        const { person } = state.players.find(({ label }: Json) => label === state.match.toMove[0]);
        assert.equal((await hall.move(id, person.id, match, "b2")).status, 200);
      });
      // Those who do not come back expire in time, by the grace period or the clock.
      await until("the end of the match", async () => (await hall.matches(id)).body.data.matches.length > 0);
      hall.client.close();
    } finally {
      await server.kill();
      folder.remove();
    }
  }));
