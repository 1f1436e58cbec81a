import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import {
  assertInvalid,
  assertRefused,
  type Call,
  type Client,
  range,
  sayRaw,
  within,
} from "../support/http.ts";
import { serverOfSuite, startServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

const deep = `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;

const gameWith = (field: string) => (value: unknown) => ({ title: "Game", maxPlayers: 2, [field]: value });

suite("bad input", () => {
  const { server, client } = serverOfSuite();
  let game: string;
  let untouched: string;

  before(async () => {
    game = await client.newGame();
    await client.join(game, "ann");
    untouched = await everything();
  });

  /** Everything visible in the server's state. */
  async function everything(): Promise<string> {
    const games = await client.get("/api/v1/games?limit=500");
    const people = await client.get(`/api/v1/games/${game}/participants`);
    return games.text + people.text;
  }

  async function refusedAndUntouched(path: string, call: Call, field: string): Promise<void> {
    const answer = await client.call(path, call);
    assertInvalid(answer, field, `${call.method ?? "GET"} ${path} ${JSON.stringify(call)}`);
    assert.equal(await everything(), untouched);
  }

  const good = { title: "Game", maxPlayers: 2 };
  test("[LM1] an invalid game: 400 that names the field, and nothing is created", async () => {
    const wrong: readonly (readonly [field: string, ...bodies: unknown[]])[] = [
      ["body", undefined, null, "game", 7, [good]],
      ["title", {}, ...["", " \u00a0 ", "x".repeat(101), "a\nb", "a\u0000", 5, null].map(gameWith("title"))],
      ["maxPlayers", { title: "Game" }, ...["2", 2.5, 1e300].map(gameWith("maxPlayers"))],
      ["waitlist", ...["yes", 1, null].map(gameWith("waitlist"))],
      ["endTime", ...[Date.now() + 60_000, "2100-01-01", "2100-01-01T00:00:00"].map(gameWith("endTime"))],
      [
        "endTime",
        ...["2100-02-30T00:00:00Z", "2100-01-01T25:00:00Z", "", "tomorrow"].map(gameWith("endTime")),
      ],
      ["seats", { ...good, seats: 2 }],
      ["id", { ...good, id: "mine" }],
    ];
    for (const [field, ...bodies] of wrong)
      for (const body of bodies)
        await refusedAndUntouched("/api/v1/games", { method: "POST", token: tokenOf("ann"), body }, field);
  });

  test("[LM1] every valid time is accepted or refused by name; titles are returned unchanged", async (t) => {
    // An invalid time would stay in the log forever.
    const endTimes = [
      ...["2100-06-30T23:59:60Z", "2100-12-31T23:59:60.5Z", "2100-01-01T00:00:00+05"],
      ...["2100-01-01T00:00:00+0530", "2100-01-01 00:00:00Z", "2100-01-01t00:00:00z"],
      ...["2100-01-01T00:00:00.123456789Z", "9999-12-31T23:59:59-23:59", "2100-01-01T00:00:00+23:59"],
    ];
    const titles = ["x".repeat(100), "🎲".repeat(100), "\ud800 half a letter", "</script>", "ﷺ \u202e"];
    let fresh = await startServer();
    t.after(() => fresh.stop());
    for (const endTime of endTimes) {
      const body = { ...good, endTime };
      const answer = await fresh.client.post("/api/v1/games", { token: tokenOf("ann"), body });
      if (answer.status === 400) assertInvalid(answer, "endTime", endTime);
      else {
        assert.equal(answer.status, 201, answer.text);
        assert.match(answer.body.data.game.endTime, /^(\+01)?\d{4}-\d\d-\d\dT/);
        assert.ok(Date.parse(answer.body.data.game.endTime) > Date.now());
      }
    }
    const ids = [];
    for (const title of titles) ids.push(await fresh.client.newGame({ title }));
    fresh = await fresh.restart();
    assert.equal((await fresh.client.get("/api/v1/games")).status, 200, "the list can be read");
    for (const [index, id] of ids.entries())
      assert.equal((await fresh.client.look(id)).game.title.toWellFormed(), titles[index].toWellFormed());
  });

  test("[LM1] join, leave and end accept only an empty body", async () => {
    for (const action of ["join", "leave", "end"])
      for (const body of [7, "text", [], { person: "bob" }, false, { "": 1 }]) {
        const field = typeof body === "object" && !Array.isArray(body) ? Object.keys(body)[0] : "body";
        const call = { method: "POST", token: tokenOf("creator"), body };
        await refusedAndUntouched(`/api/v1/games/${game}/${action}`, call, field);
      }
  });

  test("[LM1] an invalid id is refused by name, on every route of a game", async () => {
    const ids = ["", "%20", "a%2Fb", "a.b", "%00", "%C3%A9", "x".repeat(65), "x".repeat(10_000), "..%2f"];
    for (const path of ["", "/can-join", "/participants", "/events", "/join", "/leave", "/end"]) {
      const method = ["/join", "/leave", "/end"].includes(path) ? "POST" : "GET";
      for (const id of ids) {
        // A trailing slash makes no difference: it is the list of all games.
        if (id === "" && path === "") continue;
        await refusedAndUntouched(`/api/v1/games/${id}${path}`, { method, token: tokenOf("ann") }, "id");
      }
    }
  });

  test("[LM1] a refusal says in words what is expected", async () => {
    const { body } = await client.get("/api/v1/games/not.an.id");
    assert.equal(body.message, "id must be: 1 to 64 letters, digits, `_` or `-`.");
    const request = { token: server.operatorKey, body: { id: "no id", title: " " } };
    const made = await client.post("/api/v1/queues", request);
    const errors = JSON.stringify(made.body.data.errors);
    assert.match(errors, /"[^"]*must be: 1 to 64 letters, digits, `_` or `-`[."]/);
    assert.match(errors, /"[^"]*must be: 1 to 100 characters, not all of them spaces[."]/);
    assert.doesNotMatch(errors, /Only services/);
  });

  test("[LM1] an invalid query: 400 that names the field", async () => {
    const wrong = [
      ...[
        "status=open",
        "status=",
        "status=OPEN&status=FULL",
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=1.5",
      ],
      ...["limit=ten", "limit=", "limit=1&limit=2", "limit=1e999", "cursor=abc", "cursor=", "cursor=-1"],
      ...["cursor=1234567890123456", "cursor=1&cursor=2", "page=2", "__proto__=1", "constructor=1"],
    ].map((query) => `?${query}`);
    const ofGame = [
      ...["participants?limit=0", "participants?cursor=x", "participants?status=LEFT", "events?after=-1"],
      ...["events?after=x", "events?after=1.5", "events?after=9007199254740993", "events?since=1"],
    ].map((query) => `/${game}/${query}`);
    for (const query of [...wrong, ...ofGame])
      await refusedAndUntouched(`/api/v1/games${query}`, {}, /\?(\w+)=/.exec(query)![1]);
    for (const value of ["x", "-1", "1.5", "9007199254740993", ""]) {
      const headers = { "last-event-id": value };
      await refusedAndUntouched(`/api/v1/games/${game}/events`, { headers }, "last-event-id");
    }
  });

  test("[LM1] a body that is not JSON is refused", async () => {
    const broken = ["{", "{'title':1}", '{"title":', "nul", "\u0000", '{"a":1}x', "{}{}", deep.slice(1)];
    for (const rawBody of broken) {
      for (const path of ["/api/v1/games", `/api/v1/games/${game}/join`, "/api/v1/guests"])
        await refusedAndUntouched(path, { method: "POST", token: tokenOf("bob"), rawBody }, "body");
    }
  });

  test("[LM1] prototypes cannot be reached through a body", async () => {
    const poisons = [
      '{"__proto__":{"waitlist":true},"title":"x","maxPlayers":2}',
      '{"constructor":{"prototype":{"x":1}},"title":"x","maxPlayers":2}',
      '{"title":"x","maxPlayers":2,"\\u005f_proto__":{}}',
    ];
    for (const rawBody of poisons) {
      const answer = await client.post("/api/v1/games", { token: tokenOf("ann"), rawBody });
      assertRefused(answer, 400, "input.invalid", rawBody);
      assert.ok(answer.body.data.field);
    }
    assert.equal(await everything(), untouched);
    assert.equal(({} as Record<string, unknown>).waitlist, undefined);
  });

  test("[LM1] deep nesting, long numbers and huge lists are refused like other input", async () => {
    const rawBodies = [
      `{"title":${deep},"maxPlayers":2}`,
      `{"title":"x","maxPlayers":${"9".repeat(5_000)}}`,
      `{"title":"x","maxPlayers":-1e-400}`,
      `{"title":"x","maxPlayers":[${"0,".repeat(20_000)}0]}`,
      `[${"[".repeat(10_000)}${"]".repeat(10_000)}]`,
    ];
    for (const rawBody of rawBodies) {
      const answer = await client.post("/api/v1/games", { token: tokenOf("ann"), rawBody });
      assertRefused(answer, 400, "input.invalid", rawBody.slice(0, 60));
    }
    assert.equal(await everything(), untouched);
  });

  test("[LM1] a body of another type: 415", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"]) {
      const call = {
        token: tokenOf("ann"),
        rawBody: JSON.stringify(good),
        headers: { "content-type": type },
      };
      assertRefused(await client.post("/api/v1/games", call), 415, "input.unsupported-type", type);
    }
    assert.equal(await everything(), untouched);
  });

  test("[LM1] JSON may declare its character set", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await client.post("/api/v1/guests", { rawBody: "{}", headers });
    assert.equal(answer.status, 201);
  });

  test("[LM1] [LM2] a body over the limit: 413, with or without a Content-Length", async () => {
    const rawBody = JSON.stringify({ ...good, title: "x".repeat(70_000) });
    const answer = await client.post("/api/v1/games", { token: tokenOf("ann"), rawBody });
    assertRefused(answer, 413, "input.too-large");
    const chunk = "x".repeat(16_384);
    const chunked = `${`4000\r\n${chunk}\r\n`.repeat(5)}0\r\n\r\n`;
    const head = [
      "POST /api/v1/games HTTP/1.1",
      "Host: test",
      `Authorization: Bearer ${tokenOf("ann")}`,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const received = await sayRaw(server.url, `${head.join("\r\n")}\r\n\r\n${chunked}`, (it) =>
      it.includes("}"),
    );
    assert.match(received, /^HTTP\/1\.1 413 /);
    assert.match(received, /input\.too-large/);
    const within = JSON.stringify({ ...good, title: "x" }).padEnd(60_000, " ");
    const large = await client.post("/api/v1/games", { token: tokenOf("ann"), rawBody: within });
    assert.equal(large.status, 201);
    untouched = await everything();
  });

  test("[LM1] an unknown address: 404 in the envelope, for any method", async () => {
    const nowhere: [string, string][] = [
      ["GET", "/api"],
      ["GET", "/api/v2/games"],
      ["GET", "/api/v1/games/x/y/z"],
      ["DELETE", "/api/v2/games"],
      ["OPTIONS", "/api/v1/nope"],
      ["PROPFIND", "/api/v1/nope"],
      ["GET", "/api/v1/positions"],
      ["GET", "/../../etc/passwd"],
      ["GET", "/%2e%2e/%2e%2e/etc/passwd"],
      ["POST", "//api/v1/guests"],
    ];
    for (const [method, path] of nowhere)
      assertRefused(await client.call(path, { method }), 404, "route.not-found", `${method} ${path}`);
  });

  test("[LM1] a malformed address is refused in the envelope", async () => {
    for (const path of ["/api/v1/games/%", "/api/v1/games/%zz", "/api/v1/games/%E0%A4%A/join", "/%"]) {
      assertInvalid(await client.get(path), "path");
      assertInvalid(await client.post(path, { token: tokenOf("ann") }), "path");
    }
  });

  test("[LM1] [LM2] headers that are too large: 431 in the envelope", async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: test\r\nX-Large: ${"x".repeat(100_000)}\r\n\r\n`;
    const received = await sayRaw(server.url, request);
    assert.match(received, /^HTTP\/1\.1 431 /);
    const body = JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4));
    assert.deepEqual([body.success, body.statusCode, body.code], [false, 431, "input.invalid"]);
  });

  test("[LM1] input that is not HTTP gets a response or a close, and the server continues", async () => {
    const garbage = [
      "hello\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
      "GET / HTTP/9.9\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "POST /api/v1/guests HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /api/v1/guests HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n",
      `${"\r\n".repeat(1_000)}BLAH / HTTP/1.1\r\n\r\n`,
      Buffer.from(range(4_096).map((index) => (index * 89) % 256)),
    ];
    for (const bytes of garbage) {
      const received = await sayRaw(server.url, bytes, (it) => it.includes("}"));
      assert.match(received, /^HTTP\/1\.1 (400|200|505) /, JSON.stringify(String(bytes).slice(0, 60)));
    }
    assert.equal((await client.get("/healthz")).status, 200);
    assert.equal(await everything(), untouched);
  });

  test("[LM1] HEAD responds like GET without a body, and leaves the connection usable", async () => {
    const own = new (client.constructor as new (url: string, sockets: number) => Client)(server.url, 1);
    try {
      const rooms = [
        "/api/v1/games",
        "/api/v1/queues",
        `/api/v1/games/${game}`,
        `/api/v1/games/${game}/events`,
      ];
      for (const path of ["/healthz", "/api/v1/positions/x", ...rooms]) {
        const head = await within(`HEAD ${path}`, own.call(path, { method: "HEAD" }));
        assert.equal(head.text, "");
        const statuses = path.endsWith("/events") ? [405] : [200, 401, 404];
        assert.ok(statuses.includes(head.status), `${path} ${head.status}`);
        assert.equal((await own.get("/healthz")).status, 200, `after HEAD ${path}`);
      }
    } finally {
      own.close();
    }
  });
});
