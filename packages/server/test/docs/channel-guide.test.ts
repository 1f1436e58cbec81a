import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { Client, type Json, until } from "../support/http.ts";
import { secretsOf, storeFlags } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const root = join(import.meta.dirname, "../../../..");
const guide = readRepoFile("docs/guides/add-a-channel.md");
const channelPath = "packages/server/src/channels/pager.ts";
const secret = "a-secret-of-both-sides";

function blocksOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code);
}

/** Applies a diff whose parts each match one place, except if the guide has been followed already. */
function patched(text: string, parts: readonly string[]): string {
  return parts.reduce((patching, part) => {
    const lines = part.split("\n").slice(0, -1);
    const side = (dropped: string) =>
      lines.flatMap((line) => (line.startsWith(dropped) ? [] : [`${line.slice(1)}\n`])).join("");
    const [old, made] = [side("+"), side("-")];
    if (patching.includes(made)) return patching;
    assert.equal(patching.split(old).length, 2, `there is no single place for:\n${part}`);
    return patching.replace(old, () => made);
  }, text);
}

/** A copy of the server's sources with only the guide's changes. */
const copy = mkdtempSync(join(tmpdir(), "openseat-channel-"));
const inCopy = (path: string) => join(copy, path);

/** Runs a program of the repository and fails the test if it fails. */
function run(program: string, args: readonly string[]): void {
  try {
    const file = join(root, "node_modules", program);
    execFileSync(process.execPath, [file, ...args], { cwd: copy, encoding: "utf8", timeout: 60_000 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    assert.fail(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
  }
}

/** The service of the guide: accepts messages, and fails on request. */
class PagerService {
  readonly said: { readonly to: string; readonly text: string }[] = [];
  failures = 0;
  readonly #server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const isOurs = request.headers["x-pager-secret"] === secret;
      const isTaken = isOurs && this.failures-- <= 0;
      if (isTaken) this.said.push(JSON.parse(body));
      response.writeHead(isTaken ? 200 : isOurs ? 503 : 401).end();
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/send`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  textsTo(place: string): string[] {
    return this.said.filter(({ to }) => to === place).map(({ text }) => text);
  }
}

type Running = Awaited<ReturnType<typeof import("../../src/boot/openseat.ts")["startOpenseat"]>>;

describe("docs/guides/add-a-channel.md", () => {
  const service = new PagerService();
  let server: Running;
  let client: Client;
  let operatorKey: string;

  before(async () => {
    for (const path of ["biome.json", "tsconfig.base.json", "scripts/lint", "packages/server/src"])
      cpSync(join(root, path), inCopy(path), { recursive: true });
    cpSync(join(root, "packages/server/package.json"), inCopy("packages/server/package.json"));
    symlinkSync(join(root, "node_modules"), inCopy("node_modules"), "junction");
    writeFileSync(inCopy(channelPath), blocksOf("ts")[0]);
    for (const diff of blocksOf("diff")) {
      const [, path, parts] = /^\+\+\+ ([^\n]*)\n(.*)$/s.exec(diff)!;
      writeFileSync(inCopy(path), patched(readRepoFile(path), parts.split(/^@@.*\n/m)));
    }
    const source = (path: string) => import(pathToFileURL(inCopy(`packages/server/src/${path}`)).href);
    const { startOpenseat } = await source("boot/openseat.ts");
    const { loadConfig } = await source("config/load-config.ts");
    const data = inCopy("data");
    const flags = ["--port", "0", "--data", data, "--no-demo", "--pager-url", await service.open()];
    const config = loadConfig([...flags, ...(await storeFlags(data))], { OPENSEAT_PAGER_SECRET: secret });
    server = await startOpenseat(config, pino({ level: "silent" }));
    client = new Client(server.url);
    ({ operatorKey } = await secretsOf(data));
  });
  after(async () => {
    client?.close();
    await server?.stop();
    service.close();
    rmSync(copy, { recursive: true });
  });

  const bring = (body: object, given = secret) =>
    client.post("/api/v1/chat/pager", { headers: { "x-pager-secret": given }, body });

  async function say(from: string, id: string, text: string): Promise<void> {
    const answer = await bring({ id, from, replyTo: from, text });
    assert.equal(answer.status, 200, answer.text);
  }

  const told = (place: string, words: RegExp) =>
    until(`${place} is told ${words}`, () => service.textsTo(place).find((text) => words.test(text)));

  test("[CH6] with a wrong secret no message is received", async () => {
    for (const wrong of ["", "a-secret-of-both-side", "undefined"]) {
      const answer = await bring({ id: "1", from: "eve", replyTo: "eve", text: "nick Ann" }, wrong);
      assert.deepEqual([answer.status, answer.body.code], [401, "auth.invalid"]);
    }
    assert.equal((await client.get("/api/v1/people/called/Ann")).status, 404);
  });

  test("[CH1][CH7] its message is received once, and the reply is sent until it is accepted", async () => {
    service.failures = 1;
    const message = JSON.parse(/-d '(.*)'/.exec(guide)![1]);
    for (const _ of [1, 2, 3]) assert.equal((await bring(message)).status, 200);
    await told("ann", /^Hello, Ann!/);
    const { person } = (await client.get("/api/v1/people/called/ann")).body.data;
    assert.deepEqual(person, { userId: "chat_1", nickname: "Ann" });
    await say("ann", "page-2", "games");
    await told("ann", /no open duels/);
    assert.equal(service.textsTo("ann").length, 2);
  });

  test("[CH4] two people on it duel, and both get the result", async () => {
    await say("bob", "page-3", "nick Bob");
    await say("ann", "page-4", "throw rock @bob");
    await told("bob", /^Ann challenges you/);
    await say("bob", "page-5", "paper @ann");
    await told("bob", /^You threw paper, Ann threw rock: you win!/);
    await told("ann", /^You threw rock, Bob threw paper: Bob wins\./);
  });

  test("[CH6] its rooms are groups with their own ladder", async () => {
    const inRoom = (id: string, text: string) =>
      bring({ id, from: "ann", replyTo: "lobby", room: "The lobby", text });
    assert.equal((await inRoom("page-6", "register")).status, 200);
    await told("lobby", /^You are on the ladder/);
    await inRoom("page-7", "throw rock @bob");
    await told("lobby", /in a private message/);
    const { groups } = (await client.get("/api/v1/chat/groups", { token: operatorKey })).body.data as Json;
    assert.deepEqual([groups.length, groups[0].channel, groups[0].title], [1, "pager", "The lobby"]);
    assert.match(groups[0].ladder, /^pager-[\w-]{16}$/);
  });

  test("[LM1] an invalid message is refused with the reason", async () => {
    const answer = await bring({ id: "page 8", from: "ann", replyTo: "ann", text: "help" });
    assert.deepEqual([answer.status, answer.body.data.field], [400, "id"]);
  });

  test("its code passes the compiler and the linter", () => {
    const channels = "packages/server/src/channels";
    const changed = [channels, "packages/server/src/config/settings.ts"];
    const config = {
      extends: "./tsconfig.base.json",
      compilerOptions: {
        types: ["node", "@fastify/swagger"],
        composite: false,
        emitDeclarationOnly: false,
        noEmit: true,
      },
      // The other files declare what routes and requests hold.
      include: [
        `${channels}/channels.ts`,
        "packages/server/src/transport/auth/access.ts",
        "packages/server/src/transport/http/headers/base-path.ts",
        "packages/server/src/transport/limits/identify-addresses.ts",
      ],
    };
    writeFileSync(inCopy("tsconfig.json"), JSON.stringify(config));
    run("typescript/bin/tsc", ["-p", "tsconfig.json"]);
    // As `npm run fix` does, which the guide asks for: only the order of imports is left to it.
    run("@biomejs/biome/bin/biome", ["check", "--write", "--vcs-enabled=false", ...changed]);
    run("@biomejs/biome/bin/biome", ["ci", "--vcs-enabled=false", ...changed]);
    assert.equal(readFileSync(inCopy(channelPath), "utf8"), blocksOf("ts")[0]);
  });
});
