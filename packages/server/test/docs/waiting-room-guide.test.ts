import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { ExampleSite } from "../support/example-site.ts";
import { tempFolder } from "../support/folder.ts";
import { blocksOf, missingCurl, runCommands } from "../support/guide-shell.ts";
import { testsNeeding } from "../support/needs.ts";
import { findProgram } from "../support/programs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const { after, before, describe, test } = testsNeeding(missingCurl);
const guide = readRepoFile("docs/guides/waiting-room.md");
const systemdVariable = "OPENSEAT_TEST_SYSTEMD_ANALYZE";
const systemd = findProgram({ variable: systemdVariable, names: ["systemd-analyze"] });
const missingSystemd =
  systemd === undefined ? `no systemd-analyze found; install it or set ${systemdVariable}` : undefined;
const root = join(import.meta.dirname, "../../../..");

describe("docs/guides/waiting-room.md", { skip: skipOnPostgres }, () => {
  let server: TestServer;
  let printed: string;
  let site: ExampleSite;

  before(async () => {
    server = await startServer([]);
    site = await ExampleSite.start(server, "shop-rehearsal");
    const here = {
      "http://localhost:3001": site.url,
      "http://localhost:8080": server.url,
      "/var/lib/openseat": server.folder,
      "/opt/openseat/node_modules/openseat": root,
    };
    const place = { folder: dirname(server.folder), here, standIns: { sudo: "" } };
    ({ stdout: printed } = await runCommands(blocksOf(guide).join("echo\n"), place));
  });
  after(async () => {
    await site?.stop();
    await server?.stop();
  });

  test("no command is refused", () => {
    assert.doesNotMatch(printed, /"success":false/);
    assert.match(printed, /^\{"status":"ready"\}/);
    assert.match(printed, /^openseat_queue_waiting\{/m);
  });

  test("[AD1] the demo crowd of the rehearsal fills the seats, and the rest waits", () => {
    const stats = /"queue":"rehearsal".*/.exec(printed)![0];
    assert.match(stats, /"waiting":27\b/);
    assert.match(stats, /"admitted":3\b/);
  });

  test("[AD1] the crowd that goes through the gate fills the seats, and a purchase lets the next guest in", () => {
    const seen = [...printed.matchAll(/guest (\d): (\d+) (\S+?)(?:\?.*)?$/gm)].map((found) => found.slice(1));
    const shop = `${site.url}/`;
    const line = `${server.url}/wait/shop-rehearsal`;
    assert.deepEqual(seen, [
      ...["1", "2", "3"].map((guest) => [guest, "200", shop]),
      ...["4", "5"].map((guest) => [guest, "200", line]),
      ["1", "200", `${shop}buy`],
      ["4", "200", shop],
      ["1", "200", line],
    ]);
  });

  test("the queue has the settings of the last commands", async () => {
    const { queue } = (await server.client.get("/api/v1/queues/shop")).body.data;
    assert.deepEqual(
      [queue.status, queue.maxActive, queue.rate, queue.burst, queue.maxEntersPerAddress],
      ["OPEN", 50, 2, 4, 200],
    );
    assert.deepEqual(queue.returnAddresses, ["/", "https://shop.example"]);
    assert.deepEqual([queue.sessionDurationSeconds, queue.sessionTimeoutSeconds], [720, 300]);
  });

  test("the table of settings names every setting of a queue", async () => {
    const [, section] = guide.split("## Settings of a waiting room");
    const named = new Set([...section.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => cell.match(/\w+/g)));
    const { queue } = (await server.client.get("/api/v1/queues/shop")).body.data;
    const unnamed = Object.keys(queue).filter((name) => !named.has(name));
    const shown = ["active", "admitted", "createdAt", "createdBy", "id", "status", "title", "waiting"];
    assert.deepEqual(
      unnamed.filter((name) => !shown.includes(name)),
      [],
    );
  });

  test("the nginx configuration gets the domain and the certificate", () => {
    const conf = readFileSync(join(dirname(server.folder), "openseat.conf"), "utf8");
    assert.match(conf, /^ {4}listen 443 ssl; server_name shop\.example; ssl_certificate \S+; .*;$/m);
    assert.doesNotMatch(conf, /listen 8000/);
  });
});

describe("deploy/systemd/openseat.service", () => {
  const unit = readRepoFile("deploy/systemd/openseat.service");
  const valuesOf = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value);

  test("its command and its variables start a server that stops in time", async () => {
    assert.deepEqual(valuesOf("ExecStart"), ["/opt/openseat/node_modules/.bin/openseat"]);
    assert.match(guide, /^sudo npm install --prefix \/opt\/openseat openseat$/m);
    const folder = tempFolder();
    const given = Object.fromEntries(valuesOf("Environment").map((each) => each.split("=")));
    const environment = { ...given, OPENSEAT_DATA: join(folder.path, "data"), OPENSEAT_STRICT: "true" };
    try {
      const server = await ChildServer.start([], environment);
      const client = server.client();
      assert.equal((await client.get("/readyz")).status, 200);
      client.close();
      assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    } finally {
      folder.remove();
    }
  });

  test("a wrong setting ends the server with the status that prevents a restart", async () => {
    const { code } = await ChildServer.run(["--port", "0"], { OPENSEAT_TRUST_PROXY: "17" });
    assert.deepEqual(valuesOf("RestartPreventExitStatus"), [String(code)]);
  });

  testsNeeding(missingSystemd).test("systemd accepts it, and calls it well protected", () => {
    const folder = tempFolder();
    const file = join(folder.path, "openseat.service");
    // It checks that the program and the user exist.
    const here = unit.replace(/^ExecStart=.*$/m, "ExecStart=/bin/true").replace(/^User=.*$/m, "User=daemon");
    writeFileSync(file, here);
    const analyze = (...args: string[]) => spawnSync(systemd!, [...args, file], { encoding: "utf8" });
    try {
      const { status, stderr } = analyze("verify", "--man=no");
      assert.deepEqual([status, stderr], [0, ""]);
      const { status: isExposed, stdout } = analyze("security", "--offline=true", "--threshold=25");
      assert.equal(isExposed, 0, stdout);
      writeFileSync(file, `${here}\nWantedBye=x\n`);
      assert.match(analyze("verify", "--man=no").stderr, /Unknown key\b.*'WantedBye'/);
    } finally {
      folder.remove();
    }
  });
});
