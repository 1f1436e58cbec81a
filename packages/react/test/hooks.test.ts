import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Openseat } from "@openseat/client";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { type Browsers, startChromium } from "../../../e2e/support/chromium.ts";
import { missingBrowser } from "../../../e2e/support/find-browser.ts";
import { until } from "../../server/test/support/http.ts";
import { testsNeeding } from "../../server/test/support/needs.ts";
import { startServer, type TestServer, tempFolder } from "../../server/test/support/server.ts";
import { OpenseatProvider } from "../src/index.ts";
import { Everything } from "./everything.ts";
import { bundled, installed, writeExamples } from "./examples.ts";
import { Pages } from "./pages.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

/** Mounts a component of an example, or of the tests, in StrictMode. */
const harness = (url: string) => `
import { Openseat } from "@openseat/client";
import { OpenseatProvider } from "@openseat/react";
import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { Table } from "./example-2.tsx";
import { Lobby, Standings } from "./example-3.tsx";
import { Everything, Person, StableActions } from "${fileURLToPath(new URL("everything.ts", import.meta.url))}";
const components = { Table, Lobby, Standings, Everything, Person, StableActions };
const { name, id } = Object.fromEntries(new URLSearchParams(location.search));
const Component = components[name];
const openseat = new Openseat({ url: "${url}", onError: () => {} });
const app = <OpenseatProvider client={openseat}><Component id={id} /></OpenseatProvider>;
const root = document.getElementById("root");
const react = root.firstChild ? hydrateRoot(root, app) : createRoot(root);
if (!root.firstChild) react.render(<StrictMode>{app}</StrictMode>);
Object.assign(window, { unmount: () => react.unmount() });
`;

describe("the hooks, in a real browser", () => {
  const folder = tempFolder();
  let server: TestServer;
  let browsers: Browsers;
  let pages: Pages;
  let bob: Openseat;
  let sale = "";
  let mounted = "";
  let hydrated = "";

  before(async () => {
    pages = await Pages.open();
    server = await startServer(["--allowed-origins", pages.origin]);
    const [first] = writeExamples(folder.path, server.url);
    sale = pages.add("/sale", await bundled(first));
    const file = join(folder.path, "harness.tsx");
    writeFileSync(file, harness(server.url));
    const script = await bundled(file);
    mounted = pages.add("/mounted", script);
    const client = new Openseat({ url: server.url });
    const html = renderToString(createElement(OpenseatProvider, { client }, createElement(Everything)));
    hydrated = pages.add("/hydrated", script, html);
    bob = new Openseat({ url: server.url });
    browsers = await startChromium();
  });
  after(async () => {
    await browsers?.close();
    bob?.close();
    await server?.stop();
    pages?.close();
    folder.remove();
  });

  /** A new visitor, and what their page complained about and sent over the live connection. */
  async function visit(url: string) {
    const person = await browsers.person();
    const page = await person.newPage();
    const complaints: string[] = [];
    const sent: { type: string }[] = [];
    page.on("console", (message) => {
      // Chromium itself reports refused requests.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => void complaints.push(String(error)));
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => void sent.push(JSON.parse(String(payload)))),
    );
    await page.goto(url);
    const button = (name: string | RegExp) => page.getByRole("button", { name });
    const reads = (text: string | RegExp) => page.getByText(text).first().waitFor();
    return { page, complaints, sent, button, reads };
  }

  test("the waiting room of the README: enter, wait, reload, come in, reload, done", async () => {
    const operator = new Openseat({ url: server.url, token: server.operatorKey });
    await operator.queues.create({ id: "demo", title: "The sale", maxActive: 1 });
    operator.close();
    const inside = await bob.queue("demo").enter();
    const { page, complaints, button, reads } = await visit(sale);
    await button("Enter the line").click();
    await reads("Number 1 of 1");
    await page.reload();
    await reads("Number 1 of 1");
    await inside.leave();
    // A claim that fails can be made again.
    await page.route("**/api/v1/sessions", (route) =>
      route.fulfill({ body: "A login page", headers: { "access-control-allow-origin": "*" } }),
    );
    await button("It is your turn").click();
    await page.getByRole("alert").getByText("The answer is not from Openseat").waitFor();
    await page.unroute("**/api/v1/sessions");
    await button("It is your turn").click();
    await reads(/You are in until \d{4}-/);
    assert.equal(await page.getByRole("alert").innerText(), "");
    await page.reload();
    await reads(/You are in until \d{4}-/);
    await button("Done").click();
    await reads("completed");
    await button("Enter the line").click();
    await button("It is your turn").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("the table of the README: join, play, leave; unmounting stops the watch", async () => {
    const { id } = await bob.arenas.create({ title: "Lunch", game: "tic-tac-toe" });
    const { page, complaints, sent, button, reads } = await visit(`${mounted}?name=Table&id=${id}`);
    await button("Join").click();
    await reads("You are X");
    await bob.arena(id).join();
    // The first to move is drawn by lot.
    const { match } = (await bob.arena(id).get()).state;
    if (match?.toMove.includes("O")) await bob.arena(id).move("a1");
    await button("b2").click();
    const played = async () => (await bob.arena(id).get()).state.match!.moves;
    await until("the move", async () => (await played()) === (match?.toMove.includes("O") ? 2 : 1));
    await button("b2").waitFor({ state: "detached" });
    await page.evaluate("unmount()");
    await until("the end of the watch", () => sent.at(-1)?.type === "unwatch");
    const count = (type: string) => sent.filter((message) => message.type === type).length;
    assert.equal(count("watch"), count("unwatch"));
    assert.deepEqual(complaints, []);
  });

  test("the lobby of the README: a refusal is shown, and stays while the room changes", async () => {
    const { id } = await bob.games.create({ title: "Cards", maxPlayers: 1 });
    const { complaints, button, reads } = await visit(`${mounted}?name=Lobby&id=${id}`);
    await reads("0 of 1 seats");
    await bob.game(id).join();
    await reads("1 of 1 seats");
    await button("Join").click();
    await reads("Game is full");
    await bob.game(id).leave();
    await reads("0 of 1 seats");
    await reads("Game is full");
    await button("Join").click();
    await button("Leave").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("the standings of the README: they follow what happens", async () => {
    const { id } = await bob.ladders.create({ title: "Table tennis" });
    await bob.ladder(id).join();
    const { page, complaints, button } = await visit(`${mounted}?name=Standings&id=${id}`);
    await page.getByRole("heading", { name: "Table tennis" }).waitFor();
    await page.getByText(`${bob.me!.name} 1000`).waitFor();
    await button("Join").click();
    await page.getByRole("listitem").nth(1).waitFor();
    await button("Join").waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  });

  test("the next person on a device sees their own place, and not that of the person before", async () => {
    const { id } = await bob.games.create({ title: "Cards", maxPlayers: 4 });
    const operator = new Openseat({ url: server.url, token: server.operatorKey });
    await operator.queues.create({ id, title: "Cards", maxActive: 1 });
    operator.close();
    await bob.queue(id).enter();
    const { page, complaints, button, reads } = await visit(`${mounted}?name=Person&id=${id}`);
    await reads("not in the line, plays: undefined");
    await button("Enter").click();
    await reads("number 1, plays: false");
    const kept = new Map<string, string>();
    const storage = {
      get: (key: string) => kept.get(key),
      set: (key: string, value: string) => void kept.set(key, value),
      remove: (key: string) => void kept.delete(key),
    };
    const next = new Openseat({ url: server.url, storage });
    await next.queue(id).enter();
    await next.game(id).join();
    next.close();
    const become = (items: Record<string, string>) =>
      page.evaluate(`localStorage.clear();
        Object.assign(localStorage, ${JSON.stringify(items)});
        dispatchEvent(new Event("storage"))`);
    await become(Object.fromEntries(kept));
    await reads("number 2, plays: true");
    const another = new Openseat({ url: server.url, storage });
    kept.clear();
    await another.guest();
    another.close();
    await become(Object.fromEntries(kept));
    await reads("not in the line, plays: false");
    // After a reload, only the browser's storage knows the person.
    await page.reload();
    await reads("not in the line, plays: false");
    await become({});
    await bob.game(id).join();
    await reads("not in the line, plays: undefined");
    assert.deepEqual(complaints, []);
  });

  test("actions stay the same while the data changes", async () => {
    const { id } = await bob.games.create({ title: "Cards", maxPlayers: 4 });
    const { complaints, reads } = await visit(`${mounted}?name=StableActions&id=${id}`);
    await reads("0 undefined: 3 actions");
    await bob.game(id).join();
    await reads("1 undefined: 3 actions");
    assert.deepEqual(complaints, []);
  });

  test("what a server has rendered is hydrated without a difference, and then starts", async () => {
    const { complaints, reads } = await visit(`${hydrated}?name=Everything`);
    await reads(/^false undefined, false .*, false room\.not-found, false ladder\.not-found, , /);
    assert.deepEqual(complaints, []);
  });
});

test("the examples of the README compile in a strict project", async () => {
  const folder = tempFolder();
  const files = writeExamples(folder.path, "http://localhost:8080");
  assert.equal(files.length, 3);
  const { "@openseat/client": client, "@openseat/react": hooks, ...others } = installed;
  const types = (name: string) =>
    fileURLToPath(new URL(`../../../node_modules/@types/${name}/`, import.meta.url));
  const protocol = others["@openseat/protocol"];
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2024",
    lib: ["es2024", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    jsx: "react-jsx",
    types: [],
    paths: {
      "@openseat/client": [client],
      "@openseat/react": [hooks],
      "@openseat/protocol": [join(protocol, "index.ts")],
      "@openseat/protocol/friendly-names": [join(protocol, "friendly-names.ts")],
      react: [`${types("react")}index.d.ts`],
      "react/jsx-runtime": [`${types("react")}jsx-runtime.d.ts`],
      "react-dom/client": [`${types("react-dom")}client.d.ts`],
    },
  };
  writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
  const compile = () =>
    promisify(execFile)(process.execPath, [tsc, "-p", folder.path]).catch((error) => error);
  assert.equal((await compile()).stdout, "");
  writeFileSync(files[2], 'import { useGame } from "@openseat/react";\nuseGame("g").game.id;\n');
  assert.match((await compile()).stdout, /example-3\.tsx.*possibly 'undefined'/);
  folder.remove();
});
