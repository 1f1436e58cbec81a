import assert from "node:assert/strict";
import { test } from "node:test";
import { Club } from "../ladders/club.ts";
import { Client, type Json, range, until } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

const pairs = 40;
const rounds = 5;
const hands = ["rock", "paper", "scissors"];
const mirrored: Json = { won: "lost", lost: "won", draw: "draw" };

/** Throws by chat message or over the API. Returns whether the response is the result. */
async function throwAt(talk: Talk, person: string, other: string, hand: string, byChat: boolean) {
  if (byChat) {
    const text = await talk.say(person, `throw ${hand} @${nameOf(other)} rated`);
    assert.match(text, /^You threw/);
    return !text.startsWith("You threw. It is secret");
  }
  const { duel } = await good(talk.duel(person, other, { throw: hand, ladder: "chat" }));
  assert.equal(duel.opponentThrow === null, duel.status === "OPEN");
  return duel.status === "FINISHED";
}

/** Two people throw at each other, always at the same time. Returns how often each got the result without a request. */
async function play([one, other]: readonly [Talk, Talk], pair: number): Promise<Map<string, number>> {
  const [ann, bob] = await one.named("ann", "bob");
  const told = new Map([ann, bob].map((person) => [person, 0]));
  for (const round of range(rounds)) {
    const hand = (seat: number) => hands[(pair + round * (seat + 1)) % 3];
    const isResult = await Promise.all([
      throwAt(one, ann, bob, hand(0), pair % 2 === 0),
      throwAt(other, bob, ann, hand(1), round % 2 === 0),
    ]);
    assert.deepEqual(isResult.toSorted(), [false, true], "one response has the result, the other waits");
    const first = isResult[0] ? bob : ann;
    told.set(first, told.get(first)! + 1);
  }
  return told;
}

test(`[CH4] [LD12] two people throw at each other at the same instant, ${pairs * rounds} times: as many duels, each with one result that both get`, async () => {
  const server = await startServer();
  const clients = [new Client(server.url, pairs), new Client(server.url, pairs)];
  const [talk, other] = clients.map((client) => new Talk({ client }));
  try {
    // The chat's ladder is created on first use.
    await talk.say("onlooker", "top");
    const told = new Map(
      (await Promise.all(range(pairs).map((pair) => play([talk, other], pair)))).flatMap((each) => [...each]),
    );
    const seen = new Map<string, Json[]>();
    for (const [person, count] of told) {
      const { open, finished } = await talk.duels(person);
      assert.deepEqual([open, finished.length], [[], rounds]);
      for (const duel of finished) seen.set(duel.id, [...(seen.get(duel.id) ?? []), duel]);
      await until(`all results to ${person}`, async () => {
        const { lines } = await talk.conversation(person);
        const news = lines.filter(
          ({ by, text }: Json, index: number) =>
            by === "openseat" && lines[index - 1]?.by !== "you" && /^You threw \w+, /.test(text),
        );
        assert.ok(news.length <= count, "told twice");
        return news.length === count;
      });
    }
    assert.equal(seen.size, pairs * rounds);
    for (const [id, [one, two]] of seen) {
      assert.deepEqual([one.result, one.at], [mirrored[two.result], two.at], id);
      assert.deepEqual([one.yourThrow, one.opponentThrow], [two.opponentThrow, two.yourThrow], id);
    }
    const matches = async () => (await new Club(server).look("chat")).ladder.matches;
    await until("all on the ladder", async () => (await matches()) === pairs * rounds);
  } finally {
    for (const client of clients) client.close();
    await server.stop();
  }
});
