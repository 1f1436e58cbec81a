import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, suite, test } from "node:test";
import type { Ladder, LadderCommand, LadderEvent } from "@openseat/kernel";
import { LadderImports } from "../../src/app/ladders/ladder-imports.ts";
import { TimeSlices } from "../../src/scheduling/time-slices.ts";
import { assertRefused, range, until, within } from "../support/http.ts";
import { codeOf, doneOf } from "../support/results.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { answered } from "../support/test-clock.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { Club, csv } from "./club.ts";
import { LadderStage, operator, person } from "./stage.ts";

const head = "playerA,playerB,scoreA,scoreB";
const mebibyte = 1024 * 1024;
const bytesOf = (text: string) => ({ type: "csv" as const, bytes: new TextEncoder().encode(text) });

/** A file of this many bytes with one match, padded with empty lines. */
const fileOf = (bytes: number) => `${head}\na,b,1,0\n`.padEnd(bytes, "\n");

suite("limits on imports", () => {
  let server: TestServer;
  let club: Club;
  let people = 0;

  before(async () => {
    // Its clock stands still, so that the limit per hour never resets, however long a test takes.
    server = await startServer(issuerFlags, undefined, { clock: stillClock() });
    club = new Club(server);
  });
  after(() => server.stop());

  /** A ladder whose maker has imported nothing yet, and their token. */
  async function newcomer(): Promise<{ id: string; token: string }> {
    const token = tokenOf(`newcomer-${++people}`);
    const made = await club.create({}, { token });
    return { id: made.body.data.ladder.id, token };
  }

  test("[LM10] a person sends at most 1 MiB; services and operators 16 MiB", async () => {
    const { id, token } = await newcomer();
    assertRefused(await club.import(id, fileOf(mebibyte + 1), { token }), 413, "input.too-large");
    assert.equal((await club.import(id, fileOf(mebibyte), { token })).status, 202);
    for (const key of [server.serviceKey, server.operatorKey]) {
      const other = await club.newLadder();
      assertRefused(
        await club.import(other, fileOf(16 * mebibyte + 1), { token: key }),
        413,
        "input.too-large",
      );
      assert.equal((await club.import(other, fileOf(16 * mebibyte), { token: key })).status, 202);
    }
  });

  test("[LM10] a file without a Content-Length is read only up to the limit", async () => {
    // The server closes the connection after its response. A writing client may notice the close first.
    const status = await until("an answer", sendWithoutEnd);
    assert.equal(status, 413);
  });

  /** An endless file: the response's status, or undefined if the connection closes before it is read. */
  async function sendWithoutEnd(): Promise<number | undefined> {
    const { id, token } = await newcomer();
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "text/csv" };
      const asking = request(`${server.url}/api/v1/ladders/${id}/imports`, { method: "POST", headers });
      asking.on("response", (response) => {
        asking.destroy();
        resolve(response.statusCode!);
      });
      asking.on("error", () => resolve(undefined));
      asking.write(`${head}\n`);
      const more = () => {
        while (!asking.destroyed && asking.write("a,b,1,0\n".repeat(1_000)));
      };
      asking.on("drain", more);
      more();
    });
  }

  test("[LM10] a person sends at most 20,000 rows; services and operators 100,000", async () => {
    const { id, token } = await newcomer();
    const rows = (count: number) => `${head}\n${"a,b,1,0\n".repeat(count)}`;
    const refused = await club.import(id, rows(20_001), { token });
    assertRefused(refused, 400, "import.invalid");
    assert.match(refused.body.message, /more than 20001 lines/);
    assert.equal((await club.import(id, rows(20_000), { token })).status, 202);
    const match = { players: ["a", "b"], scores: [1, 0] };
    const other = await newcomer();
    assertRefused(await club.import(other.id, new Array(20_001).fill(match), other), 400, "input.invalid");
    assert.equal((await club.import(other.id, new Array(20_001).fill(match))).status, 202);
    assert.match((await club.import(id, rows(100_001))).body.message, /more than 100001 lines/);
  });

  test("[LM10] [LM3] a person sends ten files per hour, valid or not; then 429 with Retry-After", async () => {
    const { id, token } = await newcomer();
    for (const _ of range(10))
      assertRefused(await club.import(id, "no file", { token }), 400, "import.invalid");
    const refused = await club.import(id, `${head}\na,b,1,0\n`, { token });
    assertRefused(refused, 429, "limit.person");
    assert.equal(refused.body.retryable, true);
    const seconds = Number(refused.headers["retry-after"]);
    assert.equal(seconds, 360);
    const other = await newcomer();
    assert.equal((await club.import(other.id, `${head}\na,b,1,0\n`, other)).status, 202);
    for (const _ of range(12)) {
      const { status } = await club.import(id, "no file", { token: server.serviceKey });
      assert.equal(status, 400);
    }
  });

  test("[LM10] files from people do not use up the places of services", async () => {
    const { id, token } = await newcomer();
    const asking = request(`${server.url}/api/v1/ladders/${id}/imports`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "text/csv", "content-length": "100" },
        expect: "100-continue",
      },
    });
    asking.on("error", () => {});
    asking.flushHeaders();
    await within("the request is taken", once(asking, "continue"));
    assertRefused(await club.import(id, "no file", { token }), 429, "limit.address");
    assert.equal((await club.import(id, `${head}\na,b,1,0\n`, { token: server.serviceKey })).status, 202);
    asking.destroy();
  });

  test("[LM10] [LM3] the rows of a file are charged to the address; services are exempt", async () => {
    const limited = await startServer([...issuerFlags, "--writes-per-address-max", "1000"]);
    const small = new Club(limited);
    try {
      const token = tokenOf("carol");
      const body = { title: "Ladder" };
      const made = await small.client.post("/api/v1/ladders", { token, body });
      const { id } = made.body.data.ladder;
      const rows = (count: number, name: string) => `${head}\n${`${name},b,1,0\n`.repeat(count)}`;
      assert.equal((await small.import(id, rows(3_000, "a"), { token })).status, 202);
      for (const _ of range(12)) {
        const refused = await small.import(id, rows(3_000, "c"), { token });
        assertRefused(refused, 429, "limit.address");
      }
      const again = await small.import(id, rows(3_000, "a"), { token });
      assert.deepEqual([again.status, again.body.message], [200, "This file was already sent."]);
      const { status } = await small.import(id, rows(3_000, "d"), { token: limited.serviceKey });
      assert.notEqual(status, 429);
    } finally {
      await limited.stop();
    }
  });

  test("[LM10] JSON nested eight million deep is refused at once, and the server continues", async () => {
    const id = await club.newLadder();
    const [open, closed] = ["[".repeat(8_000_000), "]".repeat(8_000_000)];
    for (const rawBody of [`{"matches":[${open}${closed}]}`, `${open}${closed}`, open])
      assertRefused(await club.import(id, [], { rawBody }), 400, "import.invalid");
    assertRefused(await club.import(id, [], { rawBody: `{"rows":${open}${closed}}` }), 400, "input.invalid");
    assertRefused(await club.import(id, [], csv("\xff".repeat(10))), 400, "import.invalid");
    assert.equal((await club.client.get("/healthz")).status, 200);
  });
});

const free = { charge: () => undefined };

suite("imports beside other requests", () => {
  test("[LM10] the event loop runs while a file is read", async (t) => {
    const stage = new LadderStage();
    await stage.opened([]);
    const bad = `${head},note\n${`a,b,x,0,${"n".repeat(80)}\n`.repeat(99_000)}`;
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    t.after(() => clearInterval(counter));
    const answer = await within("an answer", stage.parts.imports.begin(operator, "l", bytesOf(bad), free));
    assert.equal(codeOf(answer), "import.invalid");
    assert.ok(turns > 2, `the event loop went round ${turns} times`);
    stage.parts.imports.close();
  });

  test("[LM10] [LD5] rows are returned in parts of 500, each in its own tick of the event loop", async () => {
    const stage = new LadderStage();
    const carol = person("carol");
    const made = await answered(stage.parts.ladders.create(carol, { title: "L" }));
    const { id } = doneOf(made).ladder;
    let parts = 0;
    class CountedSlices extends TimeSlices {
      override run<Result>(slice: () => Result | Promise<Result>): Promise<Result> {
        parts++;
        return super.run(slice);
      }
    }
    const { clock, host } = stage;
    const streams = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
    const imports = new LadderImports({ streams, clock, slices: new CountedSlices(clock) });
    const file = bytesOf(`${head}\n${"a,b,1,0\n".repeat(2_600)}`);
    const answer = await within("an answer", imports.begin(carol, id, file, free));
    assert.equal(doneOf(answer).isNew, true);
    assert.equal(parts, 6);
    imports.close();
  });

  test("[LM10] a person who may not import is refused without a file being counted", async () => {
    const stage = new LadderStage();
    await stage.opened([]);
    for (const _ of range(12)) {
      const refusal = await answered(stage.parts.imports.obstacle(person("ann"), "l"));
      assert.equal(refusal?.code, "auth.forbidden");
    }
  });
});
