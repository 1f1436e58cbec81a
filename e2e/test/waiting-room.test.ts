import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { Desk } from "../../packages/server/test/queues/desk.ts";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { missingNginx, type Nginx, startNginx } from "../../packages/server/test/support/nginx.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { Site } from "../../packages/server/test/support/site.ts";
import { issuerFlags } from "../../packages/server/test/support/tokens.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser, missingNginx);

describe("a shop behind nginx and a waiting room, in a real browser", () => {
  let openseat: TestServer;
  let site: Site;
  let nginx: Nginx;
  let browsers: Browsers;
  let desk: Desk;
  const people: BrowserContext[] = [];

  before(async () => {
    openseat = await startServer([...issuerFlags, "--trust-proxy"]);
    desk = new Desk(openseat);
    await desk.newQueue({ id: "shop", title: "The shop", maxActive: 1, returnAddresses: ["/"] });
    site = await Site.start();
    const openseatPort = Number(new URL(openseat.url).port);
    nginx = await startNginx({ openseatPort, sitePort: site.port });
    browsers = await startChromium();
  });
  after(async () => {
    await browsers?.close();
    await nginx?.stop();
    await site?.stop();
    await openseat?.stop();
  });

  async function person(options?: { javaScriptEnabled?: boolean }): Promise<Page> {
    const context = await browsers.person(options);
    people.push(context);
    return context.newPage();
  }

  const position = (page: Page) => page.locator("[data-live=number]").textContent();
  const isAt = (page: Page, wanted: string) =>
    page.locator("[data-live=number]", { hasText: new RegExp(`^${wanted}$`) }).waitFor();
  const isInside = (page: Page) => page.getByRole("heading", { name: "You are in" }).waitFor();

  test("[AD4] [AD9] [LS5] [LN5] a visitor enters, sees the position fall, reloads, is let in, completes and waits again", async () => {
    const [ann, bob, cleo] = [await person(), await person(), await person()];
    await ann.goto(`${nginx.url}/`);
    await isInside(ann);

    await bob.goto(`${nginx.url}/cart?size=2`);
    await isAt(bob, "1");
    assert.equal(new URL(bob.url()).pathname, "/wait/shop");
    await cleo.goto(`${nginx.url}/`);
    await isAt(cleo, "2");
    await cleo.reload();
    assert.equal(await position(cleo), "2", "a reload keeps the place");
    const again = await cleo.context().newPage();
    await again.goto(`${nginx.url}/`);
    await isAt(again, "2");
    await again.close();

    const reloads: string[] = [];
    cleo.on("framenavigated", (frame) => reloads.push(frame.url()));
    await ann.getByRole("button", { name: "Buy" }).click();
    await ann.getByRole("heading", { name: "Thank you!" }).waitFor();
    await isInside(bob);
    assert.equal(new URL(bob.url()).pathname, "/cart", "redirected to the requested address");
    await isAt(cleo, "1");
    assert.deepEqual(reloads, [], "the page updated without a reload");

    await ann.getByRole("link", { name: "Come again." }).click();
    await isAt(ann, "2");
  });

  test("[LS5] a code moves the place to another device", async () => {
    const [phone, desktop] = [await person(), await person()];
    await phone.goto(`${nginx.url}/wait/shop`);
    const place = await position(phone);
    await phone.getByRole("link", { name: "another device" }).click();
    const code = await phone.locator("[data-code], .code").first().textContent();
    await desktop.goto(`${nginx.url}/wait/shop/move`);
    await desktop.locator("input[name=code]").fill(code!.toLowerCase());
    await desktop.locator("input[name=code]").press("Enter");
    await isAt(desktop, place!);
  });

  test("without scripts the page refreshes by itself and continues when it is the visitor's turn", async () => {
    const page = await person({ javaScriptEnabled: false });
    await page.goto(`${nginx.url}/`);
    assert.match((await position(page)) ?? "", /^\d+$/);
    await desk.change("shop", { maxActive: 100 });
    await isInside(page);
  });
});
