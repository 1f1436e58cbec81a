import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DeadLetters } from "../../src/app/chat/dead-letters.ts";
import { assertInvalid, assertRefused, type Json } from "../support/http.ts";
import { doneOf } from "../support/results.ts";
import { ChatStage, Pigeons } from "./chat-stage.ts";

const path = "/api/v1/chat/dead-letters";

describe("dead letters over HTTP", () => {
  const pigeons = new Pigeons();
  const stage = new ChatStage({ channels: [pigeons] });

  /** Asks about ladders that do not exist; the replies cannot be sent. */
  async function setAside(...texts: readonly string[]): Promise<void> {
    pigeons.outcome = { failure: "The hawk came." };
    for (const text of texts) await stage.bring(pigeons, ["ann", "loft"], `register ${text}`);
    await stage.settle();
    pigeons.outcome = "sent";
  }

  const ask = (method: "GET" | "POST", url: string, by = "operator", body?: Json) =>
    stage.ask(method, path + url, by, body);

  /** The numbers of the dead letters, newest first, each with the ladder that its text names. */
  async function letters(query = ""): Promise<[string, string][]> {
    const { deadLetters } = (await ask("GET", query)).body.data;
    return deadLetters.map(({ number, text }: Json) => [number, /called (\w+)/.exec(text)?.[1]]);
  }

  before(() => setAside("one", "two"));
  after(() => stage.stop());

  test("[CH7] an operator lists undelivered messages, newest first, page by page", async () => {
    const { deadLetters, nextCursor } = (await ask("GET", "?limit=1")).body.data;
    const setAsideAt = new Date(stage.clock.now()).toISOString();
    assert.deepEqual(deadLetters, [
      {
        ...{ number: "2", to: "pigeon/1", from: "directory/main", text: deadLetters[0].text },
        ...{ reason: "The hawk came.", setAsideAt },
      },
    ]);
    assert.match(deadLetters[0].text, /no ladder called two/);
    const last = (await ask("GET", `?limit=1&cursor=${nextCursor}`)).body.data;
    assert.deepEqual([last.deadLetters[0].number, last.nextCursor], ["1", null]);
  });

  test("[CH7] an item without a text or a time is shown without it", async () => {
    const letter = {
      number: 1,
      from: "arena/a",
      to: "ladder/l",
      version: 1,
      body: { scores: [1, 0] },
    } as const;
    const list = async () => [{ ...letter, reason: "ladder.not-found", setAsideAt: undefined }];
    const { deadLetters } = doneOf(await new DeadLetters({ list } as never).list(undefined, 1));
    assert.deepEqual(
      deadLetters.map(({ text, setAsideAt }) => [text, setAsideAt]),
      [[null, null]],
    );
  });

  test("[CH7] [AU2] only an operator may list, resend or discard them", async () => {
    for (const [method, url] of [
      ["GET", ""],
      ["POST", "/2/resend"],
      ["POST", "/2/discard"],
    ] as const)
      for (const by of ["ann", "service"]) assertRefused(await ask(method, url, by), 403, "auth.forbidden");
    assert.equal((await letters()).length, 2);
  });

  test("[CH7] an operator resends one: it gets a new number and leaves the list", async () => {
    const resent = await ask("POST", "/1/resend");
    assert.deepEqual([resent.status, resent.body.data], [200, { number: "3" }]);
    await stage.settle();
    assert.match(pigeons.sent.at(-1)!, /^loft: There is no ladder called one/);
    assert.deepEqual(await letters(), [["2", "two"]]);
    assertRefused(await ask("POST", "/1/resend"), 404, "delivery.not-found");
  });

  test("[CH7] [LM1] an invalid number or limit is refused by name", async () => {
    for (const number of ["0", "1.5", "1234567890123456"])
      assertInvalid(await ask("POST", `/${number}/resend`), "number", number);
    for (const [query, field] of [
      ["cursor=x", "cursor"],
      ["limit=501", "limit"],
      ["colour=red", "colour"],
    ])
      assertInvalid(await ask("GET", `?${query}`), field, query);
    assertInvalid(await ask("POST", "/resend", "operator", {}), "to");
  });

  test("[CH7] an operator discards one: it leaves the list and is not sent", async () => {
    const { length } = pigeons.sent;
    const discarded = await ask("POST", "/2/discard");
    assert.deepEqual([discarded.status, discarded.body.data], [200, { number: "2" }]);
    assert.deepEqual(await letters(), []);
    for (const what of ["discard", "resend"])
      assertRefused(await ask("POST", `/2/${what}`), 404, "delivery.not-found");
    await stage.settle();
    assert.equal(pigeons.sent.length, length);
  });

  test("[CH7] all dead letters of a channel are resent in order, and nothing else", async () => {
    await setAside("three", "four");
    const { length } = pigeons.sent;
    assert.deepEqual((await ask("POST", "/resend", "operator", { to: "raven" })).body.data, { resent: 0 });
    assert.deepEqual((await ask("POST", "/resend", "operator", { to: "pigeon" })).body.data, { resent: 2 });
    await stage.settle();
    assert.deepEqual(
      pigeons.sent.slice(length).map((text) => /called (\w+)/.exec(text)?.[1]),
      ["three", "four"],
    );
  });
});
