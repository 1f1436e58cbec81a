import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { Hall } from "../arenas/hall.ts";
import { Club } from "../ladders/club.ts";
import { metric, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { inSeconds, tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";

const isMalformed = (answers: string) => answers.includes("is not well-formed HTTP");

/** The first response, with the interim ones before it. */
function firstOf(answers: string): string {
  return /^(?:HTTP\/1\.1 1\d\d.*?\r\n\r\n)*HTTP\/1\.1 .*?(?=HTTP\/1\.1 |$)/s.exec(answers)?.[0] ?? "";
}

/** Possible first requests in these bytes, which may end anywhere after its head. */
function firstRequests(bytes: string): string[] {
  const head = /^.*?\n\r?\n/s.exec(bytes)?.[0] ?? bytes;
  return range(bytes.length - head.length).map((more) => bytes.slice(0, head.length + more));
}

/** Asks the server to close the connection. */
const last = "GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";

const runs = Number(process.env.FUZZ_RUNS ?? 400);

describe("the fast path answers as Fastify does", () => {
  let server: TestServer;
  let game: string;
  let full: string;
  let arena: string;
  let ladder: string;
  const ann = `Authorization: Bearer ${tokenOf("ann")}`;

  before(async () => {
    server = await startServer();
    game = await server.client.newGame({ title: "Zoë's 🎲 game", waitlist: true });
    full = await server.client.newGame({ maxPlayers: 1 });
    await server.client.join(game, "ann", "first");
    await server.client.join(full, "ann");
    arena = await playedArena(new Hall(server));
    const club = new Club(server);
    ladder = await club.newLadder(["ann", "bob"]);
    await club.report(ladder, ["ann", "bob"], [3, 1], { key: "first", token: tokenOf("ann") });
  });
  after(() => server.stop());

  const fromFastPath = () => metric(server.client, "openseat_fast_path_answers_total");

  /** Everything that the server sends for these bytes until it closes after a last request. */
  async function received(bytes: string | Buffer): Promise<string> {
    const client = await RawClient.open(server.url);
    client.send(bytes);
    client.send(last);
    try {
      return await client.rest();
    } finally {
      client.close();
    }
  }

  /**
   * Asserts the same responses, with an exception. If invalid bytes follow a valid request in one packet, Node sends its 400
   * instead of the pending response. The fast path, and Node with other packets, first send that response, and then the 400 if
   * the connection stays open. Here the request alone must get the same response: a difference in where a request ends would
   * allow request smuggling.
   */
  async function assertSame(bytes: string, what: string): Promise<void> {
    const both = async (text: string) => [
      await received(Buffer.from(text, "latin1")),
      // With an empty line before it, which Node's parser skips and the fast path does not accept.
      await received(Buffer.from(`\r\n${text}`, "latin1")),
    ];
    const [quick, usual] = await both(bytes);
    if (quick === usual) return;
    const [whole, cut] = isMalformed(firstOf(quick)) ? [usual, quick] : [quick, usual];
    const first = firstOf(whole);
    const rest = whole.slice(first.length);
    const isCutShort =
      !isMalformed(first) &&
      isMalformed(cut) &&
      firstOf(cut) === cut &&
      (rest === cut || (rest === "" && /^connection: close\r$/im.test(first)));
    if (isCutShort)
      for (const request of firstRequests(bytes + last)) {
        const [one, other] = await both(request);
        if (one === other && firstOf(one) === first) return;
      }
    assert.equal(quick, usual, what);
  }

  /** The first player has moved, under the key `first`. */
  async function playedArena(hall: Hall): Promise<string> {
    const { id, match } = await hall.playing(["ann", "bob"], { moveTimeoutSeconds: null });
    for (const person of ["ann", "bob"]) await hall.move(id, person, match, "b2", { key: "first" });
    return id;
  }

  const move = (body: string, ...headers: string[]) =>
    requestText(
      `POST /api/v1/arenas/${arena}/moves`,
      [ann, ...headers, "Content-Type: application/json", `Content-Length: ${body.length}`],
      body,
    );

  const report = (body: string, ...headers: string[]) =>
    requestText(
      `POST /api/v1/ladders/${ladder}/matches`,
      [ann, ...headers, "Content-Type: application/json", `Content-Length: ${body.length}`],
      body,
    );

  /** The same bytes with an empty line before them, which Node's parser skips and the fast path does not accept. */
  const ordinary = (bytes: string) => received(`\r\n${bytes}`);

  const plain: [string, () => string][] = [
    ["a question", () => requestText(`GET /api/v1/games/${game}/can-join`, [ann])],
    ["a question about a game that is full", () => requestText(`GET /api/v1/games/${full}/can-join`, [ann])],
    ["a question about nothing", () => requestText("GET /api/v1/games/none/can-join", [ann])],
    ["a join that is refused", () => requestText(`POST /api/v1/games/${game}/join`, [ann])],
    ["a join of nothing", () => requestText("POST /api/v1/games/none/join", [ann])],
    [
      "a repeated join",
      () => requestText(`POST /api/v1/games/${game}/join`, [ann, "Idempotency-Key: first"]),
    ],
    [
      "an empty JSON body",
      () =>
        requestText(`POST /api/v1/games/${game}/join`, [
          ann,
          "Content-Type: application/json",
          "Content-Length: 0",
        ]),
    ],
    [
      "a body with an empty object",
      () =>
        requestText(
          `POST /api/v1/games/${game}/join`,
          [ann, "Content-Type: application/json; charset=utf-8", "Content-Length: 2"],
          "{}",
        ),
    ],
    ["a join of an arena that is refused", () => requestText(`POST /api/v1/arenas/${arena}/join`, [ann])],
    ["a move on a taken cell, or out of turn", () => move('{"match":"3","move":"b2"}')],
    ["a move off the board", () => move('{"match":"3","move":"d4"}')],
    ["a move in another match", () => move('{"move":"a1","match":"2"}')],
    [
      "a repeated or refused move with a key",
      () => move('{"match":"3","move":"b2"}', "Idempotency-Key: first"),
    ],
    ["a join of a ladder that is refused", () => requestText(`POST /api/v1/ladders/${ladder}/join`, [ann])],
    ["a match with a stranger", () => report('{"players":["ann","zoe"],"scores":[1,0]}')],
    ["a match against oneself", () => report('{"players":["ann","ann"],"scores":[1,0]}')],
    [
      "a match reported before",
      () => report('{"players":["ann","bob"],"scores":[3,1]}', "Idempotency-Key: first"),
    ],
    [
      "another match under the same key",
      () => report('{"scores":[1,3],"players":["ann","bob"]}', "Idempotency-Key: first"),
    ],
    [
      "the headers that a browser sends",
      () =>
        requestText(`GET /api/v1/games/${game}/can-join`, [
          "Connection: keep-alive",
          "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
          'sec-ch-ua: "Chromium";v="130"',
          "Accept: */*",
          "Accept-Encoding: gzip, deflate, br",
          "Accept-Language: en-GB,en;q=0.9",
          "Cookie: a=b; c=d",
          "X-Forwarded-For: 192.0.2.1",
          ann,
        ]),
    ],
  ];
  for (const [name, bytes] of plain) {
    test(`${name}: on the fast path, byte for byte the same except for its Date`, async () => {
      const before = await fromFastPath();
      const quick = await received(bytes());
      assert.equal(await fromFastPath(), before + 1, "it was answered on the fast path");
      assert.equal(quick, await ordinary(bytes()));
      assert.equal(await fromFastPath(), before + 1, "the other one was not");
      assert.equal(quick.split("HTTP/1.1 ").length, 3, "two responses, the second to the last request");
    });
  }

  const good = (headers: readonly string[] = []) =>
    requestText(`GET /api/v1/games/${game}/can-join`, [ann, ...headers]);
  const join = (headers: readonly string[], body = "") =>
    requestText(`POST /api/v1/games/${game}/join`, [ann, ...headers], body);
  const json = (body: string) =>
    join(["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`], body);

  const other: [string, () => string][] = [
    ["no token", () => requestText(`GET /api/v1/games/${game}/can-join`)],
    ["a match with a negative score", () => report('{"players":["ann","bob"],"scores":[-1,0]}')],
    ["a match with a score in words", () => report('{"players":["ann","bob"],"scores":["one",0]}')],
    ["a match with half a score", () => report('{"players":["ann","bob"],"scores":[0.5,0]}')],
    ["a match with a huge score", () => report('{"players":["ann","bob"],"scores":[1e999,0]}')],
    ["an invalid token", () => good().replace(/Bearer \S+/, "Bearer nonsense")],
    [
      "a token signed with another secret",
      () => good().replace(/Bearer \S+/, `Bearer ${tokenOf("ann", {}, "x".repeat(40))}`),
    ],
    [
      "an expired token",
      () => good().replace(/Bearer \S+/, `Bearer ${tokenOf("ann", { exp: inSeconds(-60) })}`),
    ],
    ["a token that is too long", () => good().replace(/Bearer \S+/, `Bearer ${"x".repeat(9_000)}`)],
    ["another scheme", () => good().replace("Bearer", "Basic")],
    ["a key of a service", () => good().replace(/Bearer \S+/, `Bearer ${server.serviceKey}`)],
    ["two tokens", () => good([ann])],
    ["a query", () => good().replace("can-join", "can-join?a=b")],
    ["an empty query", () => good().replace("can-join", "can-join?")],
    ["a slash at the end", () => good().replace("can-join", "can-join/")],
    ["two slashes", () => good().replace("/games", "//games")],
    ["an escaped path", () => good().replace("can-join", "can%2djoin")],
    ["an escaped id", () => good().replace(game, `%${game.charCodeAt(0).toString(16)}${game.slice(1)}`)],
    ["an invalid id", () => good().replace(game, "a.b")],
    ["an id that is too long", () => good().replace(game, "x".repeat(65))],
    ["an id that is far too long", () => good().replace(game, "x".repeat(500))],
    ["dots in the path", () => good().replace("/games/", "/games/../games/")],
    ["a full address", () => good().replace("GET /", "GET http://test/")],
    ["capitals in the path", () => good().replace("can-join", "Can-Join")],
    ["another method", () => good().replace("GET", "PUT")],
    ["HEAD", () => good().replace("GET", "HEAD")],
    ["an invalid method", () => good().replace("GET", "GETT")],
    ["a question with a body", () => `${good(["Content-Length: 2", "Content-Type: application/json"])}{}`],
    ["HTTP/1.0", () => good().replace("HTTP/1.1", "HTTP/1.0")],
    ["HTTP/1.2", () => good().replace("HTTP/1.1", "HTTP/1.2")],
    ["no host", () => good().replace("Host: test\r\n", "")],
    ["two hosts", () => good(["Host: other"])],
    ["a connection to be closed", () => good(["Connection: close"])],
    ["an expectation", () => join(["Expect: 100-continue", "Content-Length: 0"])],
    ["an expectation of something else", () => join(["Expect: much", "Content-Length: 0"])],
    ["a folded header", () => good(["X-Folded: a\r\n b"])],
    ["bare line feeds", () => good().replaceAll("\r\n", "\n")],
    ["one bare line feed", () => good(["X: a\nY: b"])],
    ["a NUL in a header", () => good(["X: a\0b"])],
    ["a byte beyond ASCII in a header", () => good(["X: \xe9"])],
    ["a space before the colon", () => good(["X : a"])],
    ["no colon", () => good(["nothing"])],
    ["chunks", () => `${join(["Transfer-Encoding: chunked"])}0\r\n\r\n`],
    ["chunks and a length", () => `${join(["Transfer-Encoding: chunked", "Content-Length: 5"])}0\r\n\r\n`],
    ["two lengths that agree", () => join(["Content-Length: 0", "Content-Length: 0"])],
    ["two lengths that do not", () => join(["Content-Length: 0", "Content-Length: 10"])],
    ["two lengths in one", () => join(["Content-Length: 0, 0"])],
    ["a length with a plus", () => join(["Content-Length: +0"])],
    ["an invalid length", () => join(["Content-Length: x"])],
    ["a length that begins with a nought", () => json("{}").replace("Length: 2", "Length: 02")],
    ["a body that is shorter than it says", () => json("{}").replace("Length: 2", "Length: 5")],
    ["a body that is longer than it says", () => json("{}").replace("Length: 2", "Length: 1")],
    ["a body without a type", () => join(["Content-Length: 2"], "{}")],
    ["a body of another type", () => join(["Content-Type: text/plain", "Content-Length: 2"], "{}")],
    ["nothing of another type", () => join(["Content-Type: text/plain", "Content-Length: 0"])],
    ["a body that is not JSON", () => json("{")],
    ["a body that is null", () => json("null")],
    ["a body that is a list", () => json("[]")],
    ["a body with a field", () => json('{"a":1}')],
    ["a body that reaches for a prototype", () => json('{"__proto__":{}}')],
    ["a body that reaches for it in disguise", () => json('{"\\u005f_proto__":{}}')],
    ["a body with a mark at its front", () => json("\ufeff{}")],
    ["a body of spaces", () => json("   ")],
    ["a body that is too large", () => json(`{"a":"${"x".repeat(70_000)}"}`)],
    ["an empty key", () => join(["Idempotency-Key:"])],
    ["a key that is too long", () => join([`Idempotency-Key: ${"k".repeat(256)}`])],
    ["two keys", () => join(["Idempotency-Key: a", "Idempotency-Key: b"])],
    ["headers that are too large", () => good([`X-Large: ${"x".repeat(20_000)}`])],
    ["many headers", () => good(Array.from({ length: 300 }, (_, index) => `X-${index}: ${index}`))],
    ["more headers than Node keeps, the token first", () => good(Array(1_500).fill("a:"))],
    [
      "more headers than Node keeps, the token last",
      () => requestText(`GET /api/v1/games/${game}/can-join`, [...Array(1_500).fill("a:"), ann]),
    ],
    [
      "more headers than Node keeps, the key last",
      () => join([...Array(1_500).fill("a:"), "Idempotency-Key: first"]),
    ],
    ["a bare carriage return", () => good(["X: a\rb"])],
    ["a bare carriage return at the end of a line", () => good().replace("Host: test\r\n", "Host: test\r")],
    ["a second carriage return", () => good().replace("Host: test\r\n", "Host: test\r\r\n")],
    ["a version that is asked for", () => good(["Accept-Version: 9.9.9"])],
    ["an encoded body", () => json("{}").replace("Content-Type", "Content-Encoding: gzip\r\nContent-Type")],
    ["another method in a header", () => good(["X-HTTP-Method-Override: DELETE"])],
    ["a tag that may match", () => good(["If-None-Match: *"])],
    ["a range", () => good(["Range: bytes=0-1"])],
    ["headers that are kept as lists", () => good(["Cookie: a=b", "Cookie: c=d", "Accept: a", "Accept: b"])],
    ["an invalid host", () => good().replace("Host: test", "Host: a b/c")],
    ["an empty host", () => good().replace("Host: test", "Host:")],
    ["an empty token", () => good().replace(/Bearer \S+/, "")],
    ["an empty key", () => join(["Idempotency-Key:"])],
    ["a connection that is kept, in capitals", () => good(["Connection: KEEP-ALIVE"])],
    ["a connection that is kept and more", () => good(["Connection: keep-alive, te", "TE: trailers"])],
    ["an empty Connection", () => good(["Connection:"])],
    ["a connection to be closed, in capitals", () => good(["Connection: CLOSE"])],
    ["a connection to be kept for a while", () => good(["Keep-Alive: timeout=5, max=1"])],
    [
      "HTTP/1.0 with a connection to be kept",
      () => good(["Connection: keep-alive"]).replace("HTTP/1.1", "HTTP/1.0"),
    ],
    ["HTTP/0.9", () => `GET /api/v1/games/${game}/can-join\r\n`],
    ["a protocol in small letters", () => good().replace("HTTP/1.1", "http/1.1")],
    ["trailers", () => `${join(["Transfer-Encoding: chunked", "Trailer: X"])}0\r\nX: y\r\n\r\n`],
    ["two questions at once", () => good() + good()],
    ["a question and something else at once", () => good() + requestText("GET /api/v1/games")],
    ["something else and a question at once", () => requestText("GET /api/v1/games") + good()],
    ["a question and nonsense at once", () => `${good()}nonsense\r\n\r\n`],
    ["three joins at once", () => join([]) + join(["Idempotency-Key: first"]) + join([])],
    ["a question with an empty line after it", () => `${good()}\r\n`],
  ];
  for (const [name, bytes] of other) {
    test(`${name}: the same on both paths`, async () => {
      await assertSame(bytes(), name);
    });
  }

  test("an unsupported upgrade: the same on both paths", async () => {
    const answers = [];
    for (const before of ["", "\r\n"]) {
      const client = await RawClient.open(server.url);
      answers.push(await client.ask(before + good(["Connection: upgrade", "Upgrade: websocket"])));
      answers.push(await client.ask(good()));
      client.close();
    }
    assert.deepEqual(answers.slice(0, 2), answers.slice(2));
  });

  test(`${runs} random requests, most of them nearly valid: the same on both paths`, async () => {
    const header = fc.oneof(
      fc.constantFrom(
        "Content-Length: 0",
        "Content-Length: 2",
        "content-length: 3",
        "Content-Type: application/json",
        "content-type: APPLICATION/JSON",
        "Content-Type: application/json;charset=utf-8",
        "Connection: keep-alive",
        "Connection: close",
        "Transfer-Encoding: chunked",
        "Idempotency-Key: first",
        "Idempotency-Key:  first ",
        "Idempotency-Key: a\tb",
        "X-Forwarded-For: 1.2.3.4, 5.6.7.8",
        "Keep-Alive: timeout=1",
        "TE: trailers",
        "Host: again",
        "X: ",
        " folded",
        "Expect: 100-continue",
      ),
      fc
        .constantFrom("X", "Accept", "Content-Length", "Authorization", "Host")
        .chain((name) =>
          fc.string({ unit: "binary-ascii", maxLength: 12 }).map((value) => `${name}: ${value}`),
        ),
    );
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom("", " ", "\r", "\n", "\0", "\t", "\xff", "/", ":", "x", "0"),
    );
    const request = fc.record({
      line: fc.constantFrom(
        "GET /api/v1/games/GAME/can-join",
        "POST /api/v1/games/GAME/join",
        "POST /api/v1/games/none/join",
        "GET /api/v1/games/GAME",
      ),
      headers: fc.array(header, { maxLength: 4 }),
      body: fc.constantFrom("", "", "", "{}", "{} ", "[]", '{"a":1}'),
      isTrue: fc.boolean(),
      changes: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(change, { maxLength: 2 })),
    });
    const before = await fromFastPath();
    await fc.assert(
      fc.asyncProperty(request, async ({ line, headers, body, isTrue, changes }) => {
        const own =
          isTrue && body !== "" ? [`Content-Length: ${body.length}`, "Content-Type: application/json"] : [];
        let bytes = requestText(line.replace("GAME", game), [ann, ...own, ...headers], body);
        for (const [where, what] of changes) {
          const at = where % bytes.length;
          bytes = bytes.slice(0, at) + what + bytes.slice(at + 1);
        }
        await assertSame(bytes, JSON.stringify(bytes));
      }),
      { numRuns: runs, seed: 7 },
    );
    assert.ok((await fromFastPath()) > before + runs / 10, "many of them took the fast path");
  });
});
