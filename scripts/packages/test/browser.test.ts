import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type Browsers, startChromium } from "../../../e2e/support/chromium.ts";
import { missingBrowser } from "../../../e2e/support/find-browser.ts";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { InstalledServer } from "./support/installed-server.ts";
import { NpmProject } from "./support/npm-project.ts";
import { missingFromRegistry } from "./support/registry.ts";
import { openQueue } from "./support/rooms.ts";

const { after, before, describe, test } = testsNeeding(
  missingBrowser,
  await missingFromRegistry("vite@8.3.8", "react@19.3.1"),
);

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

describe("a page of another site, built with Vite and React", () => {
  const project = new NpmProject("vite-react");
  let site: Server;
  let siteUrl: string;
  let server: InstalledServer;
  let browsers: Browsers;
  before(async () => {
    await project.install(["@openseat/client", "@openseat/react"]);
    await project.succeeds("npx", ["vite", "build"]);
    site = createServer(({ url }, response) => {
      const path = new URL(url!, "http://site").pathname;
      const file = join(project.folder, "dist", path === "/" ? "index.html" : path);
      // Browsers also ask for an icon, which this site does not have.
      if (!existsSync(file)) response.writeHead(404).end();
      else response.setHeader("content-type", types[extname(file)] ?? "text/plain").end(readFileSync(file));
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    server = await InstalledServer.start({ flags: ["--allowed-origins", siteUrl] });
    browsers = await startChromium();
  });
  after(async () => {
    await browsers?.close();
    await server?.stop();
    site?.close();
    project.remove();
  });

  async function create(kind: "games" | "arenas", room: object): Promise<string> {
    const response = await fetch(`${server.url}/api/v1/${kind}`, {
      method: "POST",
      headers: { authorization: `Bearer ${InstalledServer.operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify(room),
    });
    const { data } = (await response.json()) as { data: Record<string, { id: string }> };
    return data[kind.slice(0, -1)].id;
  }

  test("joins a game, enters a queue, is admitted, and plays a move", async () => {
    const rooms = {
      openseat: server.url,
      game: await create("games", { title: "Cards", maxPlayers: 2 }),
      queue: await openQueue(server),
      arena: await create("arenas", { title: "Lunch break", game: "tic-tac-toe" }),
    };
    const address = `${siteUrl}/?${new URLSearchParams(rooms)}`;
    const [ann, bob] = await Promise.all([1, 2].map(async () => (await browsers.person()).newPage()));
    const faults: string[] = [];
    for (const page of [ann, bob]) {
      page.on("pageerror", (error) => faults.push(error.message));
      await page.goto(address);
    }

    await ann.getByRole("button", { name: "Join the game" }).click();
    await ann.getByText("1 of 2 seats, you too").waitFor();

    await ann.getByRole("button", { name: "Enter the queue" }).click();
    await ann.getByRole("button", { name: "Come in" }).click();
    await ann.getByText("You are in").waitFor();

    for (const page of [ann, bob]) await page.getByRole("button", { name: "Join the arena" }).click();
    const canPlay = [ann, bob].map(async (page) => {
      const move = page.getByRole("button", { name: /^Play / }).first();
      await move.waitFor();
      return move;
    });
    await (await Promise.any(canPlay)).click();
    for (const page of [ann, bob]) await page.getByText("1 moves made").waitFor();
    assert.deepEqual(faults, []);
  });
});
