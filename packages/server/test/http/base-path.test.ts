import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildPages } from "@openseat/web/build";
import { EventClient, LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { assertRefused, Client, metric } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { StreamClient } from "../wait/stream-client.ts";

const base = "/openseat";
const publicUrl = `https://play.test${base}`;

describe("a server whose public address has a path", () => {
  let server: TestServer;
  let game: string;

  before(async () => {
    await buildPages();
    server = await startServer([...issuerFlags, "--public-url", publicUrl]);
    game = await server.client.newGame();
    await new Desk(server).newQueue({ id: "shop", maxActive: 1, returnAddresses: ["/"] });
  });
  after(() => server.stop());

  test("[OP2] everything is found below the path, and without it for proxies that remove it", async () => {
    for (const path of [
      "/",
      "/docs",
      "/openapi.json",
      "/healthz",
      "/readyz",
      `/games/${game}`,
      `/api/v1/games/${game}`,
    ])
      for (const address of [path, base + path])
        assert.equal((await server.client.get(address)).status, 200, address);
    assert.equal((await server.client.get(base)).status, 200);
    assert.equal((await server.client.get(`${base}?from=mail`)).status, 200);
    for (const address of [`${base}${base}/docs`, `${base}s/docs`, `${base}docs`])
      assertRefused(await server.client.get(address), 404, "route.not-found", address);
  });

  test("[OP2] the document of the pages names its files below the path, where they exist", async () => {
    for (const address of [`${base}/`, `${base}/games/${game}`, "/"]) {
      const { text } = await server.client.get(address);
      const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, file]) => file);
      assert.ok(files.length >= 3, text);
      for (const file of files) {
        assert.ok(file.startsWith(`${base}/`), file);
        assert.equal((await server.client.get(file)).status, 200, file);
      }
      assert.match(text, /<html lang="en" data-base="\/openseat">/);
    }
  });

  test("[OP2] the API is described at the public address, and its pages ask for what is below the path", async () => {
    const { body } = await server.client.get(`${base}/openapi.json`);
    assert.deepEqual(body.servers, [{ url: publicUrl }]);
    for (const [page, document] of [
      ["/docs", "/openapi.json"],
      ["/docs/live", "/asyncapi.json"],
    ]) {
      const { text } = await server.client.get(base + page);
      const addresses = text.match(/(?<=&quot;url&quot;:&quot;|src="|href=")[^"&]+/g)!;
      assert.ok(addresses.includes(base + document), text);
      for (const address of addresses) assert.equal((await server.client.get(address)).status, 200, address);
      for (const address of addresses) assert.ok(address.startsWith(`${base}/`), address);
    }
  });

  test("[OP2] the waiting page has its addresses, redirects and cookies below the path", async () => {
    const [ann, bob] = [new Browser(server.url), new Browser(server.url)];
    const first = await ann.get(`${base}/wait/shop?return=%2Fcart`);
    assert.equal(first.status, 303);
    assert.equal(first.headers.location, `${base}/wait/shop/go?return=%2Fcart`);
    assert.equal(ann.cookie("openseat_guest")?.path, base);
    const gone = await ann.get(first.headers.location!);
    assert.equal(gone.headers.location, "/cart", "the return address is on the site");
    assert.equal(ann.cookie("openseat_session_shop")?.path, "/", "the session cookie is for the whole site");
    assert.equal(ann.cookie("openseat_place")?.path, `${base}/wait/shop`);

    const waiting = await bob.get(`${base}/wait/shop`);
    assert.equal(stateIn(waiting).status, "waiting");
    const links = [...waiting.text.matchAll(/(?:src|href|action)="(?!data:)([^"]*)"/g)].map(
      ([, link]) => link,
    );
    assert.ok(links.length >= 5, waiting.text);
    for (const link of links) assert.ok(link.startsWith(`${base}/wait/`), link);
    assert.match(waiting.text, /"address":"\/openseat\/wait\/shop"/);
    const files = links.filter((link) => link.includes("/assets/"));
    assert.equal(files.length, 2);
    for (const file of files) assert.equal((await bob.get(file)).status, 200, file);
    const stream = await StreamClient.open(server.url, bob, "shop", base);
    assert.equal((await stream.first("state")).position, 1);
    stream.close();
    const move = await bob.get(`${base}/wait/shop/move`);
    assert.ok(move.text.replaceAll("<wbr>", "").includes(`${publicUrl}/wait/shop/move`));
    const left = await bob.post(`${base}/wait/shop/leave`, { form: {} });
    assert.equal(left.headers.location, `${base}/wait/shop`);
    const nowhere = await bob.get(`${base}/wait/nowhere`);
    assert.equal(nowhere.status, 404);
    assert.match(nowhere.text, /href="\/openseat\/wait\/assets\//);
    for (const browser of [ann, bob]) browser.close();
  });

  test("[OP2] the gate sends people to the waiting page below the path", async () => {
    for (const address of ["/gate/shop", `${base}/gate/shop`])
      assert.equal((await server.client.get(address)).headers["openseat-wait"], `${publicUrl}/wait/shop`);
  });

  test("[OP2] live connections and event streams open below the path", async () => {
    const live = await LiveClient.open(server.url + base);
    assert.equal((await live.ask({ type: "watch", game })).status, 200);
    live.close();
    const events = await EventClient.open(server.url + base, game);
    await events.at(1);
    events.close();
  });

  test("[OP2] the fast path answers with and without the path", async () => {
    const answered = () => metric(server.client, "openseat_fast_path_answers_total");
    for (const prefix of ["", base]) {
      const before = await answered();
      const path = `${prefix}/api/v1/games/${game}/can-join`;
      const client = new Client(server.url);
      assert.equal((await client.get(path, { token: tokenOf("ann") })).status, 200);
      client.close();
      assert.equal(await answered(), before + 1, prefix);
    }
  });
});
