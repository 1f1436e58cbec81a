import assert from "node:assert/strict";
import { Openseat } from "@openseat/client";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";
import { LadderPerson } from "../support/ladder-people.ts";
import { TalkingPerson } from "../support/talking-people.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

const phones = [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
];

describe("chat, with people in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;
  let operator: Openseat;
  const people: { readonly errors: readonly string[] }[] = [];
  async function person(options?: Parameters<Browsers["person"]>[0]): Promise<TalkingPerson> {
    const made = await TalkingPerson.at(`${openseat.url}/chat`, browsers, options);
    people.push(made);
    return made;
  }
  async function called(nickname: string): Promise<TalkingPerson> {
    const made = await person();
    await made.asks(`nick ${nickname}`, `Hello, ${nickname}!`);
    return made;
  }
  const ratingsOn = async (ladder: string) => {
    const { players } = await operator.ladder(ladder).standings();
    return players.map(({ name, rating }) => [name, Math.round(rating)] as const);
  };

  before(async () => {
    await buildPages();
    openseat = await startServer();
    operator = new Openseat({ url: openseat.url, token: openseat.operatorKey });
    browsers = await startChromium();
  });
  after(async () => {
    operator?.close();
    await browsers?.close();
    await openseat?.stop();
  });

  test("[CH6] [CH4] [CH5] two people choose nicknames, duel and report a match, and the ladder changes in another tab", async () => {
    const [ann, bob] = [await called("Ann"), await called("Bob")];
    await ann.page.getByRole("button", { name: "register", exact: true }).click();
    await ann.reads("You are on the ladder");
    await bob.asks("register", "You are on the ladder");
    const cleo = await LadderPerson.named("Cleo", browsers, `${openseat.url}/ladders/chat`);
    people.push(cleo);
    await cleo.marksPage();
    await cleo.seesRated("Ann", 1000);

    await ann.asks("throw scissors @bob rated", "It is secret until Bob throws too");
    await bob.reads("Ann challenges you to rock, paper, scissors!");
    assert.equal(await bob.bubbles.filter({ hasText: "throw scissors" }).count(), 0);
    await bob.asks("throw rock @ann rated", "You threw rock, Ann threw scissors: you win!");
    await ann.reads("You threw scissors, Bob threw rock: Bob wins.");
    await cleo.seesRated("Bob", 1016);
    await cleo.seesRated("Ann", 984);

    await ann.asks("match @bob 3-1", "Match 2: Ann 3, Bob 1.");
    await bob.reads("Ann has reported a match.");
    for (const [name, rating] of await ratingsOn("chat")) {
      assert.notEqual(rating, 1000);
      await cleo.seesRated(name, rating);
    }
    await ann.asks("nick Annika", "You are Annika now.");
    await cleo.page.getByRole("table").getByRole("link", { name: "Annika", exact: true }).waitFor();
    await cleo.isSamePage();
  });

  test("[CH6] the conversation is unchanged after a reload", async () => {
    const dora = await called("Dora");
    await dora.asks("games", "You have no open duels.");
    const said = () => dora.bubbles.allInnerTexts();
    const before = await said();
    assert.equal(before.length, 4);
    await dora.page.reload();
    await dora.reads("Hello, Dora!");
    assert.deepEqual(await said(), before);
  });

  test("an empty conversation shows a greeting and suggestions", async () => {
    const emil = await person();
    await emil.page.getByRole("heading", { name: "Hello!" }).waitFor();
    await emil.page.getByRole("button", { name: "throw rock @…" }).click();
    await emil.page.keyboard.type("nobody");
    assert.equal(await emil.field.inputValue(), "throw rock @nobody");
    await emil.page.keyboard.press("Enter");
    await emil.reads("You need a nickname first");
    assert.equal(await emil.field.inputValue(), "");
    await emil.page.getByRole("status").filter({ hasText: "You need a nickname first" }).waitFor();
    await emil.page.getByRole("button", { name: "help", exact: true }).click();
    await emil.reads("Hello! First choose a name");
  });

  test("[CH1] a failed message says so and can be sent again under the same id", async () => {
    const fay = await person();
    const ids: string[] = [];
    let isRefusing = true;
    await fay.page.route("**/api/v1/chat/messages", async (route) => {
      ids.push(route.request().postDataJSON().messageId);
      const json = { success: false, statusCode: 500, code: "server.fault", message: "Something broke." };
      await (isRefusing ? route.fulfill({ status: 500, json }) : route.continue());
    });
    await fay.says("nick Fay");
    const again = fay.page.getByRole("button", { name: "Not sent. Try again" });
    await again.waitFor();
    await fay.page.getByText("Something broke.").waitFor();
    isRefusing = false;
    await again.click();
    await fay.reads("Hello, Fay!");
    await again.waitFor({ state: "detached" });
    assert.deepEqual([ids.length, new Set(ids).size, await fay.bubbles.count()], [2, 1, 2]);
  });

  test("[CH1] a message waits while the network is down, and arrives once afterwards", async () => {
    const gus = await called("Gus");
    await gus.page.context().setOffline(true);
    await gus.says("games");
    await gus.page.getByText("sending…").waitFor();
    await gus.page.context().setOffline(false);
    await gus.reads("You have no open duels.");
    assert.equal(await gus.bubbles.filter({ hasText: /^games$/ }).count(), 1);
  });

  test("a reader who has scrolled up stays there and sees that there are new messages", async () => {
    const [hal, ivy] = [await called("Hal"), await called("Ivy")];
    for (let round = 0; round < 6; round++) await hal.says(`word ${round}`);
    await hal.bubbles.nth(13).waitFor();
    const log = hal.page.getByRole("region", { name: "The conversation" });
    const fromEnd = () => log.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
    assert.ok((await fromEnd()) < 2, "the end of the conversation is visible");
    await log.evaluate((box) => box.scrollTo({ top: 0 }));
    await ivy.says("throw rock @hal");
    const news = hal.page.getByRole("button", { name: "New messages" });
    await news.waitFor();
    assert.equal(await log.evaluate((box) => box.scrollTop), 0);
    await news.click();
    await news.waitFor({ state: "detached" });
    assert.ok((await fromEnd()) < 2);
  });

  test("on phones nothing is wider than the page, whatever people write", async () => {
    for (const viewport of phones) {
      const jo = await person({ viewport });
      await jo.asks("x".repeat(300), "I did not understand that.");
      await jo.says(`שלום \u202e${"ש".repeat(80)}`);
      await jo.bubbles.nth(3).waitFor();
      await jo.isNotScrolledSideways();
      await jo.page.goto(openseat.url);
      await jo.page.getByRole("link", { name: "Duels" }).click();
      await jo.page.getByRole("heading", { name: "Choose a nickname first" }).waitFor();
      await jo.isNotScrolledSideways();
    }
  });

  test("no page has caused an error", () =>
    assert.deepEqual(
      people.flatMap(({ errors }) => errors),
      [],
    ));
});
