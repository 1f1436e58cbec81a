import assert from "node:assert/strict";
import { buildPages } from "@openseat/web/build";
import { Desk } from "../../packages/server/test/queues/desk.ts";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { missingNginx, type Nginx, startNginxBelowAPath } from "../../packages/server/test/support/nginx.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { issuerFlags } from "../../packages/server/test/support/tokens.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser, missingNginx);

for (const strips of [false, true])
  describe(`below a path that nginx ${strips ? "takes off" : "passes on"}, in a real browser`, () => {
    let openseat: TestServer | undefined;
    let nginx: Nginx;
    let browsers: Browsers;

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
      browsers = await startChromium();
    });
    after(async () => {
      await browsers?.close();
      await nginx?.stop();
      await openseat?.stop();
    });

    test("[OP2] a visitor goes from the home page into a game, takes a seat and goes back, and another page shows it at once", async () => {
      const game = await openseat!.client.newGame({ title: "Chess club", maxPlayers: 2 });
      const [ann, bob] = await Promise.all([browsers.person(), browsers.person()]);
      const [page, other] = await Promise.all([ann.newPage(), bob.newPage()]);
      const failures: string[] = [];
      for (const one of [page, other])
        one.on("response", (response) => {
          if (response.status() >= 400) failures.push(response.url());
        });
      await page.goto(`${nginx.url}/openseat/`);
      await page.getByRole("link", { name: /Chess club/ }).click();
      await other.goto(`${nginx.url}/openseat/games/${game}`);
      await other.getByRole("heading", { name: "Chess club" }).waitFor();
      await page.getByRole("button", { name: /take a seat|join/i }).click();
      await page.getByRole("button", { name: /leave/i }).first().waitFor();
      await other.getByText("1 of 2", { exact: false }).first().waitFor();
      assert.equal(new URL(page.url()).pathname, `/openseat/games/${game}`);
      await page.getByRole("link", { name: "Openseat, all rooms" }).click();
      await page.getByRole("link", { name: /Chess club/ }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/openseat/");
      assert.deepEqual(failures, []);
    });

    test("[OP2] the waiting page continues automatically, and a reload keeps the place", async () => {
      const desk = new Desk(openseat!);
      await desk.newQueue({ id: "shop", title: "The shop", maxActive: 1 });
      const [ann, bob] = await Promise.all([browsers.person(), browsers.person()]);
      const [first, second] = await Promise.all([ann.newPage(), bob.newPage()]);
      await first.goto(`${nginx.url}/openseat/wait/shop`);
      await first.getByRole("heading", { name: "You are in" }).waitFor();
      await second.goto(`${nginx.url}/openseat/wait/shop`);
      const position = second.locator("[data-live=number]", { hasText: /^1$/ });
      await position.waitFor();
      await second.reload();
      await position.waitFor();
      await desk.change("shop", { maxActive: 2 });
      await second.getByRole("heading", { name: "You are in" }).waitFor();
      assert.equal(new URL(second.url()).pathname, "/openseat/wait/shop");
    });
  });
