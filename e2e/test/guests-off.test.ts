import assert from "node:assert/strict";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { issuerFlags } from "../../packages/server/test/support/tokens.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

describe("the pages of a server without guests, in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;

  before(async () => {
    await buildPages();
    openseat = await startServer([...issuerFlags, "--no-guests"]);
    browsers = await startChromium();
  });
  after(async () => {
    await browsers?.close();
    await openseat?.stop();
  });

  test("[AU9] a visitor is told to sign in, and can watch", async () => {
    const game = await openseat.client.newGame({ title: "Chess club", maxPlayers: 2 });
    const page = await (await browsers.person()).newPage();
    await page.goto(`${openseat.url}/games/${game}`);
    await page.getByRole("heading", { name: "Chess club" }).waitFor();
    await page.getByText("Guests are not accepted here. Sign in on the site that sent you").waitFor();
    await openseat.client.join(game, "ann");
    await page.getByText("1 of 2").first().waitFor();
    assert.equal((await openseat.client.look(game)).game.currentPlayers, 1);
  });
});
