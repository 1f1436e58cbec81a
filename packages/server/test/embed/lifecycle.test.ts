import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { pino } from "pino";
import { ConfigError, createOpenseat, type OpenseatOptions } from "../../src/embed/index.ts";
import { waitMsMax } from "../support/patience.ts";
import { freePort } from "../support/ports.ts";
import { skipOnPostgres } from "../support/store.ts";
import { HostServer, openseatOn, tempFolder } from "./stage.ts";

const index = new URL("../../src/embed/index.ts", import.meta.url).href;

describe("an Openseat inside a program", () => {
  test("[OP6] two on different data are independent, and starting or stopping twice is safe", async () => {
    const folders = [tempFolder(), tempFolder()];
    const both = await Promise.all(folders.map((folder) => openseatOn(folder, { port: 0 })));
    await Promise.all([...both, ...both].map((openseat) => openseat.start()));
    const [one, other] = both;
    const made = await one.app.games.create("ann", { title: "A game", maxPlayers: 2 });
    assert.ok(made.value);
    const path = `/api/v1/games/${made.value.game.id}`;
    assert.equal((await fetch(one.url + path)).status, 200);
    assert.equal((await fetch(other.url + path)).status, 404);
    await Promise.all([one.stop(), one.stop()]);
    await one.stop();
    assert.equal((await fetch(`${other.url}/healthz`)).status, 200);
    await assert.rejects(one.start(), /was stopped\. Create another one/);
    await other.stop();
    for (const folder of folders) folder.remove();
  });

  test("[OP6] the data is there again for the next one", async () => {
    const folder = tempFolder();
    const first = await openseatOn(folder, { port: 0 });
    await first.start();
    const made = await first.app.games.create("ann", { title: "Kept", maxPlayers: 2 });
    assert.ok(made.value);
    await first.stop();
    const second = await openseatOn(folder, { port: 0 });
    await second.start();
    const found = await second.app.games.get(made.value.game.id);
    assert.equal(found.value?.game.title, "Kept");
    await second.stop();
    folder.remove();
  });

  test("[OP6] after a start that failed, the data is free and the next attempt may succeed", async () => {
    const folder = tempFolder();
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    const openseat = await openseatOn(folder, { port });
    const early = openseat.app.games.list();
    await assert.rejects(openseat.start(), { code: "EADDRINUSE" });
    assert.deepEqual(codeOf(await early), "server.stopping");
    await new Promise((resolve) => other.close(resolve));
    await openseat.start();
    assert.equal((await fetch(`${openseat.url}/healthz`)).status, 200);
    await openseat.stop();
    folder.remove();
  });

  test("[LG6] two on the same data: the second is refused", { skip: skipOnPostgres }, async () => {
    const folder = tempFolder();
    const [one, other] = [await openseatOn(folder, { port: 0 }), await openseatOn(folder, { port: 0 })];
    await one.start();
    await assert.rejects(other.start(), { name: "FolderTaken" });
    await one.stop();
    await other.start();
    await other.stop();
    folder.remove();
  });

  test("[OP6] a stop ends a start that waits for its database, and the requests meanwhile say why", async () => {
    const host = await HostServer.start();
    const openseat = createOpenseat({ databaseUrl: "postgres://nobody@127.0.0.1:1/none", logger: false });
    openseat.attach(host.server, { prefix: "/seats" });
    const started = openseat.start();
    const refused = await host.client.get("/seats/api/v1/games");
    assert.deepEqual([refused.status, refused.body.code], [503, "log.unavailable"]);
    await Promise.all([
      assert.rejects(started, /Openseat was stopped before it had started/),
      openseat.stop(),
    ]);
    assert.equal((await host.client.get("/seats/")).text, "the host has /seats/");
    await host.stop();
  });

  test("[OP6] `await using` stops it", async () => {
    const folder = tempFolder();
    let url: string;
    {
      await using openseat = await openseatOn(folder, { port: 0 });
      await openseat.start();
      url = openseat.url!;
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
    }
    await assert.rejects(fetch(`${url}/healthz`));
    folder.remove();
  });

  test("[OP6] it reads no variables, adds no listeners to the process, and lets it end", {
    skip: skipOnPostgres,
  }, async () => {
    const folder = tempFolder();
    const program = `
      import assert from "node:assert";
      import { createOpenseat } from ${JSON.stringify(index)};
      const events = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection", "exit", "warning"];
      const counts = () => events.map((event) => process.listenerCount(event)).join();
      const before = counts();
      const data = ${JSON.stringify(folder.path)};
      const openseat = createOpenseat({ data, port: 0, demo: false, logLevel: "silent" });
      await openseat.start();
      const url = openseat.url;
      const during = counts();
      await assert.rejects(createOpenseat({ data, port: 0, logger: false }).start(), { name: "FolderTaken" });
      await openseat.stop();
      console.log(JSON.stringify({ url, isSame: before === during && before === counts() }));`;
    const env = { PATH: process.env.PATH, PORT: "not-a-port", OPENSEAT_LOG_LEVEL: "loud", HOST: "256.0.0.1" };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { env, timeout: waitMsMax },
    );
    assert.equal(stderr, "");
    const { url, isSame } = JSON.parse(stdout);
    assert.match(url, /^http:\/\/localhost:\d+$/);
    assert.ok(isSame);
    folder.remove();
  });
});

describe("the logger of an Openseat inside a program", () => {
  test("[OP6] an object with four methods gets the lines", async () => {
    const folder = tempFolder();
    const lines: unknown[][] = [];
    const note =
      (level: string) =>
      (...given: unknown[]) =>
        void lines.push([level, ...given]);
    const logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
    const openseat = await openseatOn(folder, { port: 0, logger });
    await openseat.start();
    await fetch(`${openseat.url}/api/v1/games`);
    await openseat.stop();
    const text = (level: string) => lines.filter(([of]) => of === level).map((line) => line.at(-1));
    assert.ok(text("info").includes("listening"));
    assert.deepEqual(text("debug"), [], "requests are logged only when they are asked for");
    folder.remove();
  });

  test("[OP6] a logger of pino keeps its level and its fields", async () => {
    const folder = tempFolder();
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const logger = pino({ level: "debug" }, stream).child({ part: "seats" });
    const openseat = await openseatOn(folder, { port: 0, logger });
    await openseat.start();
    await fetch(`${openseat.url}/api/v1/games`);
    await openseat.stop();
    assert.ok(lines.every(({ part }) => part === "seats"));
    assert.ok(lines.some(({ msg, route }) => msg === "answered" && route === "/api/v1/games"));
    folder.remove();
  });
});

describe("the settings of an Openseat inside a program", () => {
  const wrong: [what: string, options: unknown, sentence: RegExp][] = [
    ["out of bounds", { port: 70_000 }, /^port must be a whole number from 0 to 65535, not 70000\.$/],
    ["of another type", { demo: "maybe" }, /^demo must be true or false, not "maybe"\.$/],
    ["misspelt", { prot: 1 }, /^prot is not a setting\. Did you mean port\?$/],
    ["unknown", { seatsOfTheHouse: 1 }, /^seatsOfTheHouse is not a setting\. docs\/reference\/settings\.md/],
    ["secret", { operatorKey: "short" }, /^operatorKey must be 16 to 256 characters .*not what was given\.$/],
    ["alone", { issuer: "me" }, /^issuer needs issuerSecret or issuerJwksUrl\.$/],
    [
      "no logger",
      { logger: { info() {} } },
      /^logger must have the methods .*It lacks debug, warn, error\.$/,
    ],
  ];
  for (const [what, options, sentence] of wrong)
    test(`[OP6] a setting that is ${what} is refused with a sentence`, () => {
      assert.throws(
        () => createOpenseat(options as OpenseatOptions),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.problems.length, 1);
          assert.match(error.problems[0], sentence);
          return true;
        },
      );
    });

  test("[OP6] all problems are listed at once, and undefined settings are not given", () => {
    assert.throws(() => createOpenseat({ port: -1, idleSeconds: 0 }), { message: /^port .*\nidleSeconds / });
    assert.ok(createOpenseat({ port: undefined, trustProxy: true, publicUrl: undefined }));
  });

  const unattachable: [OpenseatOptions, prefix: string, RegExp][] = [
    [{}, "seats", /^prefix must be a path such as \/seats, without a slash at its end, not "seats"\.$/],
    [{}, "/", /^prefix must be a path/],
    [{}, "/seats/", /^prefix must be a path/],
    [{ publicUrl: "https://a.test/other" }, "/seats", /^publicUrl must end with the prefix \/seats/],
    [{ port: 8080 }, "/seats", /^An attached Openseat does not listen\. Leave out port and host\.$/],
    [{ demo: true }, "/seats", /^The bots of the demo need a port/],
  ];
  for (const [options, prefix, sentence] of unattachable)
    test(`[OP5] ${JSON.stringify(options)} cannot be attached at ${prefix}`, () => {
      const openseat = createOpenseat(options);
      assert.throws(() => openseat.attach(createServer(), { prefix }), {
        name: "ConfigError",
        message: sentence,
      });
    });

  test("[OP5] it is attached once, before it starts", async () => {
    const openseat = createOpenseat();
    openseat.attach(createServer(), { prefix: "/seats" });
    assert.throws(() => openseat.attach(createServer(), { prefix: "/other" }), /Attach Openseat once/);
    await openseat.stop();
    const host = createServer();
    createOpenseat().attach(host, { prefix: "/seats" });
    createOpenseat().attach(host, { prefix: "/seats/more" });
    assert.throws(
      () => createOpenseat().attach(host, { prefix: "/seats" }),
      /attached to this server at \/seats\./,
    );
  });
});

function codeOf(result: object): unknown {
  return "refusal" in result && (result.refusal as { code: string }).code;
}
