import assert from "node:assert/strict";
import { Openseat } from "@openseat/client";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { Player } from "../support/arena-people.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

describe("a game, with two people in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;

  before(async () => {
    await buildPages();
    openseat = await startServer();
    browsers = await startChromium();
  });
  after(async () => {
    await browsers?.close();
    await openseat?.stop();
  });

  /** The guest that the page has stored. */
  async function tokenOf({ page }: Player): Promise<string> {
    const kept = await page.evaluate(() => Object.values(localStorage).join(" "));
    const [token] = /[\w-]+\.[\w-]+\.[\w-]+/.exec(kept) ?? [];
    assert.ok(token, kept);
    return token;
  }

  test("[GM9] [GM10] [RM8] people are shown by name, and the creator removes one of them and ends the game", async () => {
    const ann = await Player.named("Ann", browsers, openseat.url);
    const maker = new Openseat({ url: openseat.url, token: await tokenOf(ann) });
    const { id } = await maker.games.create({ title: "Cards", maxPlayers: 2 });
    maker.close();
    await ann.page.goto(`${openseat.url}/games/${id}`);
    const bob = await Player.named("Bob", browsers, `${openseat.url}/games/${id}`);
    for (const { page } of [ann, bob]) {
      await page.getByRole("button", { name: "Join" }).click();
      await page.getByRole("button", { name: "Leave" }).waitFor();
    }
    for (const { page } of [ann, bob])
      for (const name of ["Ann", "Bob"])
        await page.getByRole("listitem").filter({ hasText: name }).first().waitFor();
    assert.equal(await bob.page.getByRole("button", { name: /^(Remove|End)/ }).count(), 0);
    await ann.page.getByRole("button", { name: "Remove Bob" }).click();
    await ann.page.getByRole("button", { name: "Yes, remove" }).click();
    await bob.reads("1 seat is free");
    await ann.page.getByRole("listitem").filter({ hasText: "Bob" }).waitFor({ state: "detached" });
    await ann.page.getByRole("button", { name: "End this game" }).click();
    await ann.page.getByRole("button", { name: "Yes, end it" }).click();
    for (const each of [ann, bob]) await each.reads("This game has ended");
  });
});
