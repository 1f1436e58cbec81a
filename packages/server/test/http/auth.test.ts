import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { assertInvalid, assertRefused, type Client, type Json, range } from "../support/http.ts";
import { serverOfSuite, startServer, type TestServer } from "../support/server.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import {
  altered,
  claimsOf,
  inSeconds,
  issuer,
  issuerFlags,
  issuerSecret,
  sign,
  tokenOf,
  withPart,
} from "../support/tokens.ts";

/** Sends a request that only requires a person. */
const ask = (client: Client, game: string, token: string) =>
  client.get(`/api/v1/games/${game}/can-join`, { token });

suite("guests", () => {
  const { server, client } = serverOfSuite();
  let game: string;

  before(async () => {
    game = await client.newGame();
  });

  const newGuest = (body?: unknown) => client.post("/api/v1/guests", { body });

  const rename = (token: string | undefined, body: unknown) =>
    client.call("/api/v1/guests/me", { method: "PATCH", token, body });

  test("[AU1] a guest gets a token that proves their identity, and a friendly name by default", async () => {
    for (const body of [undefined, null, {}]) {
      const answer = await newGuest(body);
      assert.equal(answer.status, 201, answer.text);
      const { id, name } = answer.body.data.person;
      assert.match(id, /^guest_/);
      assert.equal(name, friendlyName(id));
      assert.equal(claimsOf(answer.body.data.token).name, name);
      const joined = await client.post(`/api/v1/games/${game}/join`, { token: answer.body.data.token });
      assert.equal(joined.body.data.participant.userId, answer.body.data.person.id);
      await client.post(`/api/v1/games/${game}/leave`, { token: answer.body.data.token });
    }
  });

  test("[AU1] guests are distinct, whatever their names", async () => {
    const guests = await Promise.all(range(50).map(() => newGuest({ name: "Kim" })));
    assert.equal(new Set(guests.map(({ body }) => body.data.person.id)).size, 50);
  });

  test("[AU1] a guest takes another name: the same person with a new token, and the old one stays valid", async () => {
    const { token, person } = (await newGuest()).body.data;
    const renamed = await rename(token, { name: "  Zoë " });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(renamed.body.data.person, { userId: person.id, id: person.id, name: "Zoë" });
    assert.equal(claimsOf(renamed.body.data.token).name, "Zoë");
    const joined = await client.post(`/api/v1/games/${game}/join`, { token: renamed.body.data.token });
    assert.equal(joined.body.data.participant.userId, person.id);
    const left = await client.post(`/api/v1/games/${game}/leave`, { token });
    assert.equal(left.status, 200, left.text);
  });

  test("[AU1] [AU3] only guests of this server can be renamed, and only to valid names", async () => {
    const { token } = (await newGuest()).body.data;
    assertRefused(await rename(tokenOf("ann"), { name: "Ann" }), 403, "auth.forbidden");
    assertRefused(await rename(server.operatorKey, { name: "Ann" }), 403, "auth.forbidden");
    assertRefused(await rename(undefined, { name: "Ann" }), 401, "auth.missing");
    for (const name of ["", "   ", "x".repeat(41), "a\nb", 5, null])
      assertInvalid(await rename(token, { name }), "name", JSON.stringify(name));
    assertInvalid(await rename(token, {}), "name");
    assertInvalid(await rename(token, { name: "Ann", id: "guest_other" }), "id");
  });

  test("[AU1] [LM1] a name is trimmed, and has 1 to 40 visible characters", async () => {
    for (const [given, kept] of [
      ["  Bo ", "Bo"],
      ["x".repeat(40), "x".repeat(40)],
      ["Zoë 🎲 王", "Zoë 🎲 王"],
      ["🎲".repeat(40), "🎲".repeat(40)],
    ]) {
      const answer = await newGuest({ name: given });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.data.person.name, kept);
      assert.equal(claimsOf(answer.body.data.token).name, kept);
    }
    for (const name of ["", "   ", "x".repeat(41), "a\u0000b", "a\nb", 5, null, ["Bo"], { first: "Bo" }])
      assertInvalid(await newGuest({ name }), "name", JSON.stringify(name));
    assertInvalid(await newGuest({ nickname: "Bo" }), "nickname");
    for (const body of [5, "Bo", [], true]) assertInvalid(await newGuest(body), "body", JSON.stringify(body));
  });

  test("[AU1] any changed character of a guest's token makes it invalid", async () => {
    const { token } = (await newGuest()).body.data;
    assert.equal((await ask(client, game, token)).status, 200);
    for (const index of range(token.length)) {
      const other = token[index] === "A" ? "B" : "A";
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      const answer = await ask(client, game, changed);
      assertRefused(answer, 401, "auth.invalid", `at ${index} of ${token.length}`);
    }
    const [head, payload] = token.split(".");
    // The last letter has unused bits.
    const others = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
    for (const other of others.filter((each) => !token.endsWith(each)))
      assertRefused(await ask(client, game, token.slice(0, -1) + other), 401, "auth.invalid", other);
    for (const changed of [`${token}=`, `${token}!`, `${token}.`, `.${token}`, `${head}.${payload}.`])
      assertRefused(await ask(client, game, changed), 401, "auth.invalid", changed);
  });

  test("[AU1] a guest's token is refused if it is expired, altered, or issued by someone else", async () => {
    const { token } = (await newGuest()).body.data;
    const claims = claimsOf(token);
    const refused = [
      altered(token, { sub: "guest_another" }),
      altered(token, { exp: inSeconds(10 ** 9) }),
      sign(claims, "not the secret of this server, but long"),
      sign(claims, issuerSecret),
      sign({ ...claims, iss: issuer }, issuerSecret),
      withPart(token, 0, () => Buffer.from('{"alg":"none"}').toString("base64url")),
      `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`,
      "not a token",
      "a.b.c",
      "..",
      "x".repeat(9_000),
    ];
    for (const other of refused)
      assertRefused(await ask(client, game, other), 401, "auth.invalid", other.slice(0, 80));
  });

  test("[AU5] a token whose header has crit is refused, whatever it requires", async () => {
    const { token } = (await newGuest()).body.data;
    const good = { alg: "HS256", typ: "JWT" };
    for (const [claims, secret] of [
      [claimsOf(token), server.guestSecret],
      [claimsOf(tokenOf("ann")), issuerSecret],
    ] as const) {
      for (const crit of [["exp"], ["b64"], [], null]) {
        const refused = await ask(client, game, sign(claims, secret, { ...good, crit }));
        assertRefused(refused, 401, "auth.invalid", JSON.stringify(crit));
      }
      assert.equal((await ask(client, game, sign(claims, secret, { ...good, kid: "1" }))).status, 200);
    }
  });

  test("[AU1] a header without a bearer token is refused, on public routes too", async () => {
    for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", "token", ""]) {
      for (const path of [`/api/v1/games/${game}`, `/api/v1/games/${game}/can-join`]) {
        const answer = await client.get(path, { headers: { authorization } });
        assertRefused(answer, 401, "auth.invalid", `${authorization} at ${path}`);
      }
    }
    const lower = { authorization: `bearer ${tokenOf("ann")}` };
    assert.equal((await client.get(`/api/v1/games/${game}/can-join`, { headers: lower })).status, 200);
  });
});

suite("the user's own issuer, by a shared secret", () => {
  const { client } = serverOfSuite([...issuerFlags, "--audience", "our-games"]);
  let game: string;

  before(async () => {
    const token = own({});
    const made = await client.post("/api/v1/games", { token, body: { title: "Game", maxPlayers: 9 } });
    game = made.body.data.game.id;
  });

  const own = (changes: Record<string, unknown>, secret = issuerSecret) =>
    tokenOf("ann", { aud: "our-games", ...changes }, secret);

  test("[AU1] [AU8] a valid token is accepted, whatever its subject and further audiences", async () => {
    const changes = [
      ...[{}, { aud: ["others", "our-games"] }, { nbf: inSeconds(-60), iat: inSeconds(-60) }],
      ...["x".repeat(128), "ann lee", "Zoë 山田 🎲", "🎲".repeat(128), "auth0|5f7c8"].map((sub) => ({ sub })),
    ];
    for (const change of changes) {
      const answer = await ask(client, game, own(change));
      assert.equal(answer.status, 200, `${JSON.stringify(change)} ${answer.text}`);
    }
  });

  test("[AU1] [AU3] a token with an invalid claim is refused", async () => {
    const subjects = [
      ...[undefined, "", "   ", "ann\ud83c", "ann\u2028", "ann\u0085", "ann\n", 7],
      ...["ł".repeat(129), "x".repeat(129), "@operator", "guest_abc"],
    ];
    const wrong = [
      ...["other-games", undefined, []].map((aud) => ({ aud })),
      ...["https://other.test", undefined].map((iss) => ({ iss })),
      ...[undefined, String(inSeconds(60))].map((exp) => ({ exp })),
      ...[inSeconds(60), "tomorrow"].map((nbf) => ({ nbf })),
      ...subjects.map((sub) => ({ sub })),
    ];
    for (const changes of wrong)
      assertRefused(await ask(client, game, own(changes)), 401, "auth.invalid", JSON.stringify(changes));
  });

  test("[AU1] an expired token is refused as expired", async () => {
    assertRefused(await ask(client, game, own({ exp: inSeconds(-60) })), 401, "auth.expired");
  });

  test("[AU1] a token under another secret, altered, or of another type is refused", async () => {
    const token = own({});
    const claims = claimsOf(token);
    for (const other of [
      own({}, `${issuerSecret}!`),
      altered(token, { sub: "bob" }),
      withPart(token, 0, () => Buffer.from('{"alg":"HS512"}').toString("base64url")),
      withPart(token, 2, (old) => old.split("").reverse().join("")),
      sign(claims, issuerSecret, { alg: "none" }),
      sign(claims, issuerSecret, { alg: "HS384" }),
      sign(claims, issuerSecret, {}),
    ])
      assertRefused(await ask(client, game, other), 401, "auth.invalid");
  });
});

suite("the user's own issuer, by the address of its keys", () => {
  let server: TestServer;
  let client: Client;
  let game: string;
  let keys: Server;
  let flags: string[];
  let published: Json = { keys: [] };
  let asked = 0;
  const pairs = new Map<string, CryptoKeyPair>();
  type CryptoKeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

  before(async () => {
    for (const alg of ["ES256", "RS256", "EdDSA"])
      pairs.set(alg, await generateKeyPair(alg, { extractable: true }));
    published = {
      keys: await Promise.all(
        [...pairs].map(async ([alg, pair]) => ({
          ...(await exportJWK(pair.publicKey)),
          kid: `key-${alg}`,
          alg,
        })),
      ),
    };
    keys = createServer((_, response) => {
      asked++;
      response.setHeader("content-type", "application/json").end(JSON.stringify(published));
    });
    await new Promise<void>((resolve) => keys.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks.json`;
    flags = ["--issuer", issuer, "--issuer-jwks-url", address, "--audience", "our-games"];
    server = await startServer(flags);
    client = server.client;
    const token = await signed("ES256");
    const made = await client.post("/api/v1/games", { token, body: { title: "Game", maxPlayers: 9 } });
    assert.equal(made.status, 201, made.text);
    game = made.body.data.game.id;
  });
  after(async () => {
    await server.stop();
    keys.closeAllConnections();
    await new Promise((resolve) => keys.close(resolve));
  });

  function signed(alg: string, changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}) {
    const claims = { iss: issuer, aud: "our-games", sub: "ann", exp: inSeconds(3600), ...changes };
    return new SignJWT(claims)
      .setProtectedHeader({ alg, kid: `key-${alg}`, ...header })
      .sign(pairs.get(alg)!.privateKey);
  }

  test("[AU1] tokens under ES256, RS256 and EdDSA are accepted, and the keys are fetched once for all", async () => {
    const before = asked;
    for (const alg of ["ES256", "RS256", "EdDSA"]) {
      const answer = await ask(client, game, await signed(alg));
      assert.equal(answer.status, 200, `${alg} ${answer.text}`);
    }
    assert.equal(asked, before);
  });

  test("[AU1] a token under an unpublished key is refused", async () => {
    const unknown = await signed("ES256", {}, { kid: "unknown" });
    assertRefused(await ask(client, game, unknown), 401, "auth.invalid");
    const other = await generateKeyPair("ES256");
    const forged = await new SignJWT({ iss: issuer, aud: "our-games", sub: "ann", exp: inSeconds(60) })
      .setProtectedHeader({ alg: "ES256", kid: "key-ES256" })
      .sign(other.privateKey);
    assertRefused(await ask(client, game, forged), 401, "auth.invalid");
  });

  test("[AU1] a token signed with the public key as if it were a secret is refused", async () => {
    const pem = await exportSPKI(pairs.get("RS256")!.publicKey);
    const claims = { iss: issuer, aud: "our-games", sub: "ann", exp: inSeconds(60) };
    for (const secret of [pem, pem.trim(), JSON.stringify(published.keys[1]), published.keys[1].n])
      for (const alg of ["HS256", "RS256"]) {
        const token = sign(claims, secret, { alg, kid: "key-RS256" });
        assertRefused(await ask(client, game, token), 401, "auth.invalid");
      }
  });

  test("[AU1] an unsigned token is refused, in any spelling", async () => {
    const [, payload] = (await signed("ES256")).split(".");
    for (const alg of ["none", "None", "NONE", ""]) {
      const header = Buffer.from(JSON.stringify({ alg, kid: "key-ES256" })).toString("base64url");
      for (const signature of ["", "AA"])
        assertRefused(await ask(client, game, `${header}.${payload}.${signature}`), 401, "auth.invalid");
    }
  });

  test("[AU1] expired, foreign, altered and misaddressed tokens are refused under any key", async () => {
    const good = await signed("ES256");
    const late = await signed("ES256", { exp: inSeconds(-60) });
    assertRefused(await ask(client, game, late), 401, "auth.expired");
    for (const token of [
      await signed("ES256", { aud: "other-games" }),
      await signed("RS256", { iss: "https://other.test" }),
      await signed("RS256", { sub: "guest_abc" }),
      await signed("ES256", { nbf: inSeconds(60) }),
      await signed("ES256", { exp: undefined }),
      altered(good, { sub: "bob" }),
      withPart(good, 2, (old) => `${old.startsWith("A") ? "B" : "A"}${old.slice(1)}`),
      withPart(good, 0, () => Buffer.from('{"alg":"ES256","kid":"key-RS256"}').toString("base64url")),
    ])
      assertRefused(await ask(client, game, token), 401, "auth.invalid");
  });

  test("[AU1] a valid token is refused once it has expired, although its signature is cached", async () => {
    const clock = skewedClock();
    const other = await startServer(flags, undefined, { clock });
    try {
      const [token, later] = [await signed("ES256", { exp: inSeconds(600) }), await signed("ES256")];
      const body = { title: "Game", maxPlayers: 9 };
      const made = await other.client.post("/api/v1/games", { token, body });
      const { id } = made.body.data.game;
      assert.equal((await ask(other.client, id, token)).status, 200);
      clock.skip(700_000);
      assertRefused(await ask(other.client, id, token), 401, "auth.expired");
      assert.equal((await ask(other.client, id, later)).status, 200);
    } finally {
      await other.stop();
    }
  });

  test("[AU1] while the keys cannot be fetched, tokens that need them get 503; guests continue; then it recovers", async () => {
    let answer: (send: (status: number, text: string) => void) => void = () => {};
    const broken = createServer((_, response) =>
      answer((status, text) => response.writeHead(status).end(text)),
    );
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
    const { port } = broken.address() as AddressInfo;
    const flags = ["--issuer", issuer, "--issuer-jwks-url", `http://127.0.0.1:${port}/`];
    const other = await startServer(flags);
    try {
      const token = await signed("ES256");
      const body = { title: "Game", maxPlayers: 2 };
      const attempt = () => other.client.post("/api/v1/games", { token, body });
      for (const [status, text] of [
        [500, "broken"],
        [200, "not JSON"],
        [200, '{"keys": 5}'],
        [404, "{}"],
      ] as const) {
        answer = (send) => send(status, text);
        const refused = await attempt();
        assertRefused(refused, 503, "auth.unreachable", `${status} ${text}`);
        assert.equal(refused.body.retryable, true);
      }
      answer = (send) => send(200, JSON.stringify(published));
      assert.equal((await attempt()).status, 201);
      broken.closeAllConnections();
      await new Promise((resolve) => broken.close(resolve));
      assert.equal((await attempt()).status, 201, "known keys keep working");

      const unreachable = await startServer(flags);
      try {
        const refused = await unreachable.client.post("/api/v1/games", { token, body });
        assertRefused(refused, 503, "auth.unreachable");
        const guest = await unreachable.client.post("/api/v1/guests");
        const made = await unreachable.client.post("/api/v1/games", { token: guest.body.data.token, body });
        assert.equal(made.status, 201);
      } finally {
        await unreachable.stop();
      }
    } finally {
      broken.close();
      await other.stop();
    }
  });
});

suite("keys of operators and services", () => {
  test("[AU1] [AU4] configured keys replace generated ones", async () => {
    const flags = ["--operator-key", "operator-key-of-the-test", "--service-key", "service-key-of-the-test"];
    const server = await startServer([...issuerFlags, ...flags]);
    try {
      const { client } = server;
      const game = await client.newGame();
      const end = (token: string) => client.post(`/api/v1/games/${game}/end`, { token });
      assertRefused(await end(server.operatorKey), 401, "auth.invalid");
      assertRefused(await end(`${"operator-key-of-the-test"}x`), 401, "auth.invalid");
      assertRefused(await end("operator-key-of-the-tes"), 401, "auth.invalid");
      assertRefused(await end("service-key-of-the-test"), 403, "auth.forbidden");
      assert.equal((await end("operator-key-of-the-test")).status, 200);
    } finally {
      await server.stop();
    }
  });
});
