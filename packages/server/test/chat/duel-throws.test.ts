import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Club } from "../ladders/club.ts";
import { Client, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

const pairs = 100;
const rounds = 10;
const hands = ["rock", "paper", "scissors"] as const;
type Hand = (typeof hands)[number];
const beaten: Readonly<Record<Hand, Hand>> = { rock: "scissors", paper: "rock", scissors: "paper" };

/** How somebody throws: by writing so in the chat, or by asking for it. */
type Way = "chat" | "api";

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

interface Thrower {
  readonly talk: Talk;
  readonly person: string;
  readonly hand: Hand;
  readonly way: Way;
}

/** What one of the two is answered: what it says, and whether it is the result. */
async function thrown(
  one: Thrower,
  other: Thrower,
  isRated: boolean,
): Promise<{ text: string; isResult: boolean }> {
  const { talk, person, hand, way } = one;
  if (way === "chat") {
    const text = await talk.say(person, `throw ${hand} @${nameOf(other.person)}${isRated ? " rated" : ""}`);
    const isResult = text.startsWith(resultFor(one, other));
    assert.ok(isResult || text.startsWith("You threw. It is secret"), text);
    return { text, isResult };
  }
  const { duel } = await good(
    talk.duel(person, other.person, { throw: hand, ...(isRated && { ladder: "duels" }) }),
  );
  const isResult = duel.status === "FINISHED";
  assert.equal(duel.yourThrow, hand);
  assert.equal(duel.opponentThrow, isResult ? other.hand : null);
  assert.equal(duel.result, isResult ? endFor(one, other) : null);
  return { text: JSON.stringify(duel), isResult };
}

function endFor(one: Thrower, other: Thrower): "won" | "lost" | "draw" {
  if (one.hand === other.hand) return "draw";
  return beaten[one.hand] === other.hand ? "won" : "lost";
}

function resultFor(one: Thrower, other: Thrower): string {
  const name = nameOf(other.person);
  const ends = { won: "you win!", lost: `${name} wins.`, draw: "a draw." };
  return `You threw ${one.hand}, ${name} threw ${other.hand}: ${ends[endFor(one, other)]}`;
}

/** Two who throw at each other ten times, each time at once. What each has to be told who was first. */
async function play(talks: readonly [Talk, Talk], index: number): Promise<Map<string, string[]>> {
  const [a, b] = await talks[0].named("ann", "bob");
  const isRated = index % 4 === 0;
  if (isRated)
    for (const [talk, person] of [[talks[0], a] as const, [talks[1], b] as const])
      assert.match(await talk.say(person, "register duels"), /^You are on the ladder/);
  const expected = new Map<string, string[]>([
    [a, []],
    [b, []],
  ]);
  for (const round of range(rounds)) {
    const ways: readonly Way[] =
      index % 2 === 0 ? ["chat", "chat"] : round % 2 === 0 ? ["api", "api"] : ["api", "chat"];
    const one: Thrower = { talk: talks[0], person: a, hand: hands[(index + round) % 3], way: ways[0] };
    const other: Thrower = {
      talk: talks[1],
      person: b,
      hand: hands[(index * 2 + round * 2) % 3],
      way: ways[1],
    };
    const both = round % 2 === 0 ? ([one, other] as const) : ([other, one] as const);
    const answers = await Promise.all([thrown(both[0], both[1], isRated), thrown(both[1], both[0], isRated)]);
    const results = answers.filter(({ isResult }) => isResult);
    assert.equal(
      results.length,
      1,
      `one is answered the result, the other waits: ${JSON.stringify(answers)}`,
    );
    const first = answers[0].isResult ? 1 : 0;
    expected.get(both[first].person)!.push(resultFor(both[first], both[1 - first]));
  }
  return expected;
}

/** Each of the 1,000 duels as the two see it. */
async function seenDuels(talk: Talk, people: readonly string[]): Promise<Map<string, Json[]>> {
  const seen = new Map<string, Json[]>();
  for (const person of people) {
    const { open, finished } = await talk.duels(person);
    assert.deepEqual(open, []);
    assert.equal(finished.length, rounds);
    for (const duel of finished) seen.set(duel.id, [...(seen.get(duel.id) ?? []), duel]);
  }
  return seen;
}

test(`[CH4] [LD12] two who throw at each other at the same instant, ${pairs * rounds} times: as many duels, and one result each that both hear`, async () => {
  const { url } = server;
  const clients = [new Client(url, pairs), new Client(url, pairs)];
  const club = new Club(server);
  await club.newLadder([], { id: "duels", duels: true });
  const talk = new Talk({ client: clients[0] });
  const talks = [talk, new Talk({ client: clients[1] })] as const;
  try {
    const told = await Promise.all(range(pairs).map((index) => play(talks, index)));
    const expected = new Map(told.flatMap((each) => [...each]));
    const seen = await seenDuels(talk, [...expected.keys()]);
    assert.deepEqual(
      [...seen.keys()].map(Number).sort((a, b) => a - b),
      range(pairs * rounds).map((index) => index + 1),
    );
    const mirrored: Json = { won: "lost", lost: "won", draw: "draw" };
    for (const [id, [one, other]] of seen) {
      assert.deepEqual([one.status, other.status], ["FINISHED", "FINISHED"]);
      assert.deepEqual([one.result, one.at], [mirrored[other.result], other.at], id);
      assert.deepEqual([one.yourThrow, one.opponentThrow], [other.opponentThrow, other.yourThrow], id);
    }
    for (const [person, results] of expected) await assertHeard(talk, person, results);
    const rated = (pairs / 4) * rounds;
    await until(
      "all that count on the ladder",
      async () => (await club.look("duels")).ladder.matches === rated,
    );
    const origins = (await club.matches("duels")).map(({ id }) => id);
    assert.equal(new Set(origins).size, rated);
  } finally {
    for (const client of clients) client.close();
  }
});

/** Whoever was first hears each result once, in its order; whoever was second was answered it. */
async function assertHeard(talk: Talk, person: string, results: readonly string[]): Promise<void> {
  const heard = await until(`all results to ${person}`, async () => {
    const { lines } = await talk.conversation(person);
    // What follows upon something that they said is the answer to it.
    const news = lines.filter(
      ({ by }: Json, index: number) => by === "openseat" && lines[index - 1]?.by !== "you",
    );
    const found = news.map(({ text }: Json) => text).filter((text: string) => /^You threw \w+, /.test(text));
    return found.length >= results.length && found;
  });
  assert.equal(heard.length, results.length);
  for (const [index, result] of results.entries())
    assert.ok(heard[index].startsWith(result), `${heard[index]} is not: ${result}`);
}
