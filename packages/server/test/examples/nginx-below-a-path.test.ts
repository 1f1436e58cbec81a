import assert from "node:assert/strict";
import { buildPages } from "@openseat/web/build";
import { EventClient, LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { Client } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingNginx, type Nginx, startNginxBelowAPath } from "../support/nginx.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { StreamClient } from "../wait/stream-client.ts";

const { after, before, describe, test } = testsNeeding(missingNginx);

for (const strips of [false, true])
  describe(`docs/guides/behind-a-proxy.md: nginx ${strips ? "takes the path off" : "passes the path on"}`, () => {
    let openseat: TestServer | undefined;
    let nginx: Nginx;
    let client: Client;

    before(async () => {
      await buildPages();
      nginx = await startNginxBelowAPath(
        async (publicUrl) => {
          await openseat?.stop();
          openseat = await startServer([...issuerFlags, "--trust-proxy", "--public-url", publicUrl]);
          return Number(new URL(openseat.url).port);
        },
        { strips },
      );
      client = new Client(nginx.url);
    });
    after(async () => {
      client?.close();
      await nginx?.stop();
      await openseat?.stop();
    });

    test("[OP2] pages and their files, the API, live connections and event streams", async () => {
      const { text } = await client.get("/openseat/");
      const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, file]) => file);
      assert.ok(files.length >= 3, text);
      for (const file of files) assert.equal((await client.get(file)).status, 200, file);
      const body = { title: "A game", maxPlayers: 2 };
      const made = await client.post("/openseat/api/v1/games", { token: tokenOf("ann"), body });
      const { id } = made.body.data.game;
      assert.equal((await client.get(`/openseat/games/${id}`)).status, 200);
      const live = await LiveClient.open(`${nginx.url}/openseat`);
      assert.equal((await live.ask({ type: "watch", game: id })).status, 200);
      live.close();
      const events = await EventClient.open(`${nginx.url}/openseat`, id);
      await events.at(1);
      events.close();
    });

    test("[OP2] the way through a waiting room", async () => {
      await new Desk(openseat!).newQueue({ id: "shop", maxActive: 1, returnAddresses: ["/"] });
      const [ann, bob] = [new Browser(nginx.url), new Browser(nginx.url)];
      const landed = await ann.visit("/openseat/wait/shop?return=%2Fcart");
      assert.deepEqual(landed.way.slice(1), ["/openseat/wait/shop/go?return=%2Fcart", "/cart"]);
      const waiting = await bob.visit("/openseat/wait/shop");
      assert.equal(stateIn(waiting).position, 1);
      assert.equal(stateIn(await bob.visit("/openseat/wait/shop")).position, 1, "the same place again");
      const stream = await StreamClient.open(nginx.url, bob, "shop", "/openseat");
      assert.equal((await stream.first("state")).position, 1);
      stream.close();
      for (const browser of [ann, bob]) browser.close();
    });
  });
