import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { sayRaw } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { altered, inSeconds, issuerFlags, issuerSecret, tokenOf } from "../support/tokens.ts";

suite("secrets in a data folder", { skip: skipOnPostgres }, () => {
  test("[AU4] are created at the first start, readable by the owner only, and kept", async () => {
    const folder = tempFolder();
    const data = join(folder.path, "data");
    const path = join(data, "secrets.json");
    let server: ChildServer | undefined;
    try {
      server = await ChildServer.start(["--data", data, ...issuerFlags]);
      const first = readFileSync(path, "utf8");
      const { mtimeMs, ino } = statSync(path);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.equal(statSync(data).mode & 0o077, 0, "only the owner may open the folder");
      const secrets: Record<string, string> = JSON.parse(first);
      assert.equal(new Set(Object.values(secrets)).size, 3);
      for (const secret of Object.values(secrets)) assert.ok(secret.length >= 32);
      const client = server.client();
      const { token } = (await client.post("/api/v1/guests")).body.data;
      const game = await client.newGame();
      client.close();
      await server.kill();

      chmodSync(path, 0o644);
      server = await ChildServer.start(["--data", data, ...issuerFlags]);
      assert.equal(readFileSync(path, "utf8"), first);
      assert.deepEqual([statSync(path).mtimeMs, statSync(path).ino], [mtimeMs, ino], "it was written again");
      assert.equal(statSync(path).mode & 0o777, 0o600, "the file is readable only by its owner again");
      const again = server.client();
      assert.equal(
        (await again.post(`/api/v1/games/${game}/join`, { token })).status,
        200,
        "guests are still recognised",
      );
      const ended = await again.post(`/api/v1/games/${game}/end`, { token: secrets.operatorKey });
      assert.equal(ended.status, 200);
      again.close();
    } finally {
      await server?.kill();
      folder.remove();
    }
  });

  test("[AU4] an unreadable secrets file gives a sentence that names it and shows nothing of its content", async () => {
    const folder = tempFolder();
    try {
      mkdirSync(folder.path, { recursive: true });
      const path = join(folder.path, "secrets.json");
      const content = '{ "guestSecret": "half-of-a-guest-secret';
      writeFileSync(path, content);
      const { code, stderr } = await ChildServer.run(["--port", "0", "--data", folder.path]);
      assert.equal(code, 1, stderr);
      assert.ok(stderr.includes(path), stderr);
      assert.doesNotMatch(stderr, /\n\s+at |half-of|guest-sec/);
      assert.equal(readFileSync(path, "utf8"), content, "it was not changed");
    } finally {
      folder.remove();
    }
  });

  test("[AU4] no secret is logged, even at the finest level with requests that fail in every way", async () => {
    const folder = tempFolder();
    let server: ChildServer | undefined;
    try {
      const operatorKey = "operator-key-given-by-hand-1234";
      server = await ChildServer.start(["--data", folder.path, ...issuerFlags, "--log-level", "trace"], {
        OPENSEAT_OPERATOR_KEY: operatorKey,
      });
      const client = server.client();
      const made = JSON.parse(readFileSync(join(folder.path, "secrets.json"), "utf8")) as Record<
        string,
        string
      >;
      const guest = (await client.post("/api/v1/guests")).body.data.token as string;
      const person = tokenOf("ann");
      const game = await client.newGame();
      const tokens = [
        guest,
        person,
        operatorKey,
        made.serviceKey,
        tokenOf("ann", { exp: inSeconds(-60) }),
        altered(guest, { sub: "guest_else" }),
        "some-unknown-key-of-nobody",
      ];
      for (const token of tokens) {
        await client.post(`/api/v1/games/${game}/join`, { token, key: "a key" });
        await client.post(`/api/v1/games/${game}/end`, { token, rawBody: "{broken" });
        await client.post("/api/v1/games", { token, body: { title: "" } });
        await client.post("/api/v1/games", { token, rawBody: "x".repeat(70_000) });
        await client.get("/api/v1/games/%", { token });
        await client.get("/nowhere", { token });
        const live = await LiveClient.open(server.url);
        await live.ask({ type: "auth", token });
        await live.ask({ type: "join", game, token });
        await live.ask({ type: "join", game: "!", token });
        live.close();
        await LiveClient.open(server.url, { token }).then(
          (it) => it.close(),
          () => {},
        );
        await sayRaw(server.url, `GET / HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nBad Header\r\n\r\n`);
      }
      client.close();
      await server.signal("SIGTERM");
      const said = server.stdout + server.stderr;
      assert.match(said, /stopping/, "there is log output to check");
      for (const secret of [...tokens, ...Object.values(made), issuerSecret]) {
        assert.ok(!said.includes(secret), `the log shows ${secret}`);
        const signature = secret.split(".")[2];
        if (signature) assert.ok(!said.includes(signature));
      }
    } finally {
      await server?.kill();
      folder.remove();
    }
  });
});
