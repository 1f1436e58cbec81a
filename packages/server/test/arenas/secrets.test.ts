import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { watchLimits } from "../../src/feed/watch.ts";
import { type Json, range, sayRaw } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { turns } from "../support/test-clock.ts";
import { tokenOf } from "../support/tokens.ts";
import { Hall, patient } from "./hall.ts";
import { Recorder, throwsNamedIn, withoutTimes } from "./recorder.ts";
import { ArenaStage } from "./stage.ts";

const throws = ["rock", "paper", "scissors"] as const;
type Throw = (typeof throws)[number];

/** The throws of A and B in the rounds before the throw that must stay secret. */
interface Scene {
  readonly title: string;
  readonly rounds: readonly (readonly [a: Throw, b: Throw])[];
  readonly thrower: "A" | "B";
}

const scenes: readonly Scene[] = [
  { title: "the first throw of a match, on seat A", rounds: [], thrower: "A" },
  { title: "the first throw of a match, on seat B", rounds: [], thrower: "B" },
  { title: "a throw after a tie", rounds: [["paper", "paper"]], thrower: "A" },
  {
    title: "a throw in the next match, when the loser has gone to the back",
    rounds: [
      ["scissors", "paper"],
      ["rock", "scissors"],
    ],
    thrower: "B",
  },
];

/** What everyone except the thrower received up to that throw, and what the thrower received. */
interface Recording {
  readonly others: ReadonlyMap<string, string>;
  readonly own: string;
  /** Throws that were public before: those of finished rounds. */
  readonly known: ReadonlySet<string>;
}

/** A server on which scenes are played, with listeners on every kind of connection. */
class Theatre {
  readonly hall: Hall;
  readonly #url: string;

  constructor(server: TestServer) {
    this.hall = new Hall(server);
    this.#url = server.url;
  }

  /** Who sits where, and the match. */
  async table(
    id: string,
  ): Promise<{ match: string; turn: number; version: number; seats: Record<string, string> }> {
    const { state, version } = await this.hall.look(id);
    const seats = Object.fromEntries(state.players.map(({ label, person }: Json) => [label, person.id]));
    return { match: state.match.id, turn: state.match.turn, version, seats };
  }

  async throwOf(id: string, seat: "A" | "B", what: Throw): Promise<void> {
    const { match, turn, seats } = await this.table(id);
    const answer = await this.hall.move(id, seats[seat], match, what, { turn });
    assert.equal(answer.status, 200, answer.text);
  }

  /** The listeners from the start. */
  async recorders(id: string, opponent: string): Promise<Recorder[]> {
    const spectator = tokenOf("sam");
    return [
      await Recorder.live("anyone, live", this.#url, id),
      await Recorder.live("a spectator, live", this.#url, id, { token: spectator }),
      await Recorder.live("the opponent, live", this.#url, id, { token: tokenOf(opponent) }),
      await Recorder.live("someone in the line, live", this.#url, id, { token: tokenOf("zoe") }),
      await Recorder.events("anyone, events", this.#url, id),
      await Recorder.events("the opponent, events", this.#url, id, { token: tokenOf(opponent) }),
    ];
  }

  /** Listeners that connect, or reconnect, after the throw, and the responses of all reads at that time. */
  async afterwards(id: string, opponent: string): Promise<Map<string, string>> {
    const { version, match } = await this.table(id);
    const token = tokenOf(opponent);
    const late = [
      await Recorder.live("the opponent, back", this.#url, id, { token }),
      await Recorder.live("the opponent, resumed from the start", this.#url, id, { token, after: 0 }),
      await Recorder.live("the opponent, resumed", this.#url, id, { token, after: version - 1 }),
      await Recorder.live("the opponent, up to date", this.#url, id, { token, after: version }),
      await Recorder.live("anyone, resumed", this.#url, id, { after: version - 2 }),
      await Recorder.events("the opponent, events resumed", this.#url, id, { token, after: version - 1 }),
      await Recorder.events("anyone, events resumed", this.#url, id, { after: 0 }),
    ];
    for (const recorder of late) await recorder.shown(version);
    const received = new Map(late.map((recorder) => [recorder.name, recorder.bytes]));
    for (const recorder of late) recorder.close();
    const asks: readonly [request: string, token?: string, body?: Json][] = [
      [`GET /api/v1/arenas/${id}`],
      [`GET /api/v1/arenas/${id}`, token],
      [`GET /api/v1/arenas/${id}`, tokenOf("zoe")],
      [`GET /api/v1/arenas/${id}`, this.hall.operatorKey],
      [`GET /api/v1/arenas/${id}`, this.hall.serviceKey],
      ["GET /api/v1/arenas?limit=1"],
      [`GET /api/v1/arenas/${id}/matches`],
      [`GET /api/v1/arenas/${id}/matches/${match}`, token],
      [`POST /api/v1/arenas/${id}/join`, token],
      [`POST /api/v1/arenas/${id}/moves`, token, { match, move: "lizard" }],
      [`POST /api/v1/arenas/${id}/moves`, tokenOf("zoe"), { match, move: "lizard" }],
    ];
    for (const [index, [request, bearer, body]] of asks.entries()) {
      const payload = body === undefined ? "" : JSON.stringify(body);
      const head = [
        `${request} HTTP/1.1`,
        "Host: test",
        "Connection: close",
        ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
        ...(body === undefined ? [] : ["Content-Type: application/json"]),
        `Content-Length: ${payload.length}`,
      ];
      const answer = await sayRaw(this.#url, `${head.join("\r\n")}\r\n\r\n${payload}`);
      assert.match(answer, /^HTTP\/1\.1 \d{3} /);
      received.set(`${index} ${request}`, answer);
    }
    return received;
  }

  /** Plays a scene up to the secret throw and records what everyone received; then plays the round to its end. */
  async play(id: string, { rounds, thrower }: Scene, secret: Throw): Promise<Recording> {
    await this.hall.newArena({ id, game: "rock-paper-scissors", ...patient });
    for (const person of ["ann", "bob", "cat", "zoe"]) await this.hall.join(id, person);
    for (const [a, b] of rounds) {
      await this.throwOf(id, "A", a);
      await this.throwOf(id, "B", b);
    }
    const { seats, version } = await this.table(id);
    const opponent = seats[thrower === "A" ? "B" : "A"];
    const recorders = await this.recorders(id, opponent);
    const own = await Recorder.live("the thrower", this.#url, id, { token: tokenOf(seats[thrower]) });
    try {
      for (const recorder of [...recorders, own]) await recorder.shown(version);
      const known = throwsNamedIn(
        `${recorders[0].bytes} "There is no move lizard in Rock, paper, scissors."`,
      );
      await this.throwOf(id, thrower, secret);
      for (const recorder of [...recorders, own]) await recorder.shown(version + 1);
      const others = await this.afterwards(id, opponent);
      for (const recorder of recorders) others.set(recorder.name, recorder.bytes);
      const recording = { others, own: own.bytes, known };
      await this.throwOf(id, thrower === "A" ? "B" : "A", "rock");
      for (const recorder of recorders) await recorder.shown(version + 2);
      // Without this the test would prove nothing: now everyone must learn the throws.
      const news = [...throwsNamedIn(recorders[0].bytes)].filter((text) => !known.has(text));
      assert.ok(
        news.some((text) => text.includes(secret)),
        `${secret} is not told: ${news}`,
      );
      return recording;
    } finally {
      for (const recorder of [...recorders, own]) recorder.close();
    }
  }
}

/** MT3: what was sent does not depend on the throw, and names none that was unknown. Returns where it does. */
function leaksIn(recordings: readonly Recording[]): string[] {
  const [first, ...twins] = recordings;
  const leaks: string[] = [];
  for (const [listener, received] of first.others) {
    for (const twin of twins) {
      const where = differenceOf(withoutTimes(twin.others.get(listener) ?? ""), withoutTimes(received));
      if (where) leaks.push(`${listener} differs: ${where}`);
    }
  }
  for (const { others, known } of recordings)
    for (const [listener, received] of others)
      for (const text of throwsNamedIn(received))
        if (!known.has(text)) leaks.push(`${listener} reads ${text}`);
  return leaks;
}

/** Where two texts first differ, with context. */
function differenceOf(one: string, other: string): string | undefined {
  if (one === other) return undefined;
  const at = range(one.length).find((index) => one[index] !== other[index]) ?? one.length;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 80), at + 80));
  return `${around(one)} and ${around(other)}`;
}

suite("what is secret", () => {
  let servers: TestServer[];
  let theatres: Theatre[];

  before(async () => {
    servers = await Promise.all(throws.map(() => startServer()));
    theatres = servers.map((server) => new Theatre(server));
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  /** The same scene on three servers, with another throw on each. */
  const playAll = (id: string, scene: Scene) =>
    Promise.all(throws.map((secret, index) => theatres[index].play(id, scene, secret)));

  for (const [index, scene] of scenes.entries()) {
    test(`[MT3] ${scene.title}: until both moves are in, nothing sent to anyone else depends on a move`, async () => {
      const recordings = await playAll(`scene-${index}`, scene);
      assert.equal(recordings[0].others.size, 24);
      assert.deepEqual(leaksIn(recordings), []);
      // The thrower's own data differs: otherwise equal bytes would prove nothing.
      const asIfOthers = recordings.map((it) => ({ ...it, others: new Map([["the thrower", it.own]]) }));
      // Everyone may see throws of earlier rounds: for those, only the difference counts.
      const unheardOf = throws.filter((what, index) => !recordings[index].known.has(`"${what}"`));
      assert.equal(leaksIn(asIfOthers).length, 2 + unheardOf.length);
    });
  }
});

test("[MT3] [FD2] a viewer who falls behind and catches up from the log sees no throw either", async () => {
  /** What bob, who plays, and a spectator receive after not reading for a while; and ann, who throws. */
  const sent = async (secret: Throw) => {
    const stage = new ArenaStage();
    await stage.opened(["ann", "bob"], { game: "rock-paper-scissors" });
    const tabs = [await stage.tab("bob"), await stage.tab(undefined), await stage.tab("ann")];
    for (const tab of tabs) tab.backlogBytes = 2 * watchLimits.backlogBytesMax;
    await stage.move("ann", secret);
    await stage.join("cat");
    for (const tab of tabs) {
      assert.equal(tab.got.length, 1, "nothing more is sent to a viewer who reads nothing");
      tab.backlogBytes = 0;
    }
    await stage.clock.advance(2 * watchLimits.drainCheckMs);
    await turns(30);
    for (const tab of tabs)
      assert.deepEqual(
        tab.got.map(({ type }) => type),
        ["view", "change", "change", "view"],
      );
    return tabs.map((tab) => tab.got.map(({ json }) => json).join());
  };
  const [rock, paper, scissors] = [await sent("rock"), await sent("paper"), await sent("scissors")];
  for (const other of [paper, scissors]) assert.deepEqual(other.slice(0, 2), rock.slice(0, 2));
  assert.notEqual(paper[2], rock[2], "the thrower sees it, otherwise this would prove nothing");
});
