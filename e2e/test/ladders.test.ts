import assert from "node:assert/strict";
import { Openseat } from "@openseat/client";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";
import { LadderPerson } from "../support/ladder-people.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

describe("ladders, with two people in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;
  let operator: Openseat;
  const people: LadderPerson[] = [];
  const address = (id: string) => `${openseat.url}/ladders/${id}`;
  async function person(name: string, id: string): Promise<LadderPerson> {
    const made = await LadderPerson.named(name, browsers, address(id));
    people.push(made);
    return made;
  }
  async function bothOn(id: string): Promise<[ann: LadderPerson, bob: LadderPerson]> {
    const [ann, bob] = [await person("Ann", id), await person("Bob", id)];
    await ann.join();
    await bob.join();
    await ann.seesRated("Bob", 1000);
    return [ann, bob];
  }
  const matchesOn = async (id: string) => (await operator.ladder(id).get()).ladder.matches;

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

  test("[LD2] [LD7] a player reports a match by keyboard, and the standings change on the opponent's page", async () => {
    await operator.ladders.create({ id: "live", title: "Live" });
    const [ann, bob] = await bothOn("live");
    await bob.marksPage();
    await ann.reportsByKeyboard("Bob", "3", "1");
    for (const viewer of [ann, bob]) {
      await viewer.seesRated("Ann", 1016);
      await viewer.seesRated("Bob", 984);
    }
    await bob.player.reads("You are 2nd of 2");
    await bob.player.says(/Ann beat you/);
    await bob.isSamePage();
    assert.equal(await matchesOn("live"), 1);
  });

  test("[LD6] an invalid score is refused beside its field, and nothing is sent", async () => {
    await operator.ladders.create({ id: "kindly", title: "Kindly" });
    const [ann] = await bothOn("kindly");
    let sent = 0;
    ann.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/matches")) sent++;
    });
    const dialog = await ann.opensReport();
    const send = () => dialog.getByRole("button", { name: "Report" }).click();
    await send();
    await dialog.getByText("Choose who you played").waitFor();
    await dialog.getByRole("combobox").fill("bo");
    await dialog.getByRole("option", { name: "Bob" }).click();
    await dialog.getByLabel("Your score").fill("eleven");
    await dialog.getByLabel("Their score").fill("-3");
    await send();
    await dialog.getByText("A score is a whole number from 0 to 1,000.").nth(1).waitFor();
    assert.equal(await dialog.getByLabel("Your score").getAttribute("aria-invalid"), "true");
    assert.equal(sent, 0);

    await dialog.getByLabel("Your score").fill("2");
    await dialog.getByLabel("Their score").fill("2");
    await dialog.getByText("You and Bob drew, 2 : 2. It counts at once.").waitFor();
    await send();
    await dialog.waitFor({ state: "detached" });
    await ann.player.says(/You and Bob drew/);
    assert.deepEqual([sent, await matchesOn("kindly")], [1, 1]);
  });

  test("[LD9] with confirmation, a match counts if the opponent confirms it, and not if they decline it", async () => {
    await operator.ladders.create({ id: "agreed", title: "Agreed", confirm: true });
    const [ann, bob] = await bothOn("agreed");
    await bob.marksPage();
    await ann.reportsByKeyboard("Bob", "5", "0");
    await bob.player.reads("Confirm a match");
    await ann.player.says("unconfirmed");
    assert.equal(await matchesOn("agreed"), 0);
    await bob.page.getByRole("button", { name: /^Confirm/ }).click();
    await ann.seesRated("Ann", 1016);
    await bob.seesRated("Bob", 984);
    await bob.page.getByRole("heading", { name: "Confirm a match" }).waitFor({ state: "hidden" });

    await ann.reportsByKeyboard("Bob", "7", "0");
    await bob.page.getByRole("button", { name: /^Decline/ }).click();
    await ann.player.says("declined");
    await bob.isSamePage();
    assert.equal(await matchesOn("agreed"), 1);
  });

  test("[LD8] a voided match is struck through in the history, and later ones are recalculated", async () => {
    await operator.ladders.create({ id: "undone", title: "Undone" });
    const [ann, bob] = await bothOn("undone");
    await ann.reportsByKeyboard("Bob", "1", "0");
    await ann.seesRated("Ann", 1016);
    await ann.reportsByKeyboard("Bob", "2", "0");
    await ann.seesRated("Ann", 1031);
    await ann.page
      .getByRole("button", { name: /^Take back/ })
      .last()
      .click();
    await ann.page.getByRole("button", { name: "Yes, take it back" }).click();
    await bob.seesRated("Ann", 1016);

    await bob.page.getByRole("link", { name: "Ann" }).click();
    await bob.player.reads("Ann");
    assert.match(new URL(bob.page.url()).pathname, /^\/ladders\/undone\/players\/guest_/);
    const history = bob.page.getByRole("table");
    const struck = history.getByRole("row").filter({ hasText: "voided" });
    await struck.locator("s").first().waitFor();
    await history.getByRole("row").filter({ hasText: "recalculated, +15 at first" }).waitFor();
    await bob.page.locator(".chart canvas").waitFor();
    await bob.page
      .getByRole("img", { name: /From 1000 to 1016 in 1 match: highest 1016, lowest 1000/ })
      .waitFor();
    await bob.player.says("Ann has 1 win, 0 draws and 0 losses against Bob.");
  });

  test("[LD7] every page of the standings shows the viewer's row, and a button leads to their place", async () => {
    await operator.ladders.create({ id: "many", title: "Many" });
    for (let number = 1; number <= 60; number++)
      await operator
        .ladder("many")
        .enrol({ userId: `p${number}`, name: `Player ${number}`, rating: 1000 + number });
    const ann = await person("Ann", "many");
    await ann.join();
    await ann.player.reads("You are 61st of 61");
    await ann.page.getByText("1 to 25 of 61").waitFor();
    const rows = ann.page.getByRole("table").getByRole("row");
    assert.equal(await rows.count(), 1 + 25 + 1, "the header, a page, and her own row");
    await ann.page.getByRole("button", { name: "Lower" }).click();
    await ann.page.getByText("26 to 50 of 61").waitFor();
    await ann.page.getByRole("button", { name: "Show my place" }).click();
    await ann.page.getByText("49 to 61 of 61").waitFor();
    assert.match((await rows.last().textContent()) ?? "", /Ann.*you/);
    await ann.page.getByRole("button", { name: "Leave" }).click();
    await ann.page.getByRole("button", { name: "Yes, leave" }).click();
    await ann.player.reads("You have left this ladder");
    await ann.page.getByRole("button", { name: "Come back" }).click();
    await ann.player.reads("You are 61st of 61");
  });

  test("a ladder is created on the home page with only a name", async () => {
    const ann = await LadderPerson.named("Ann", browsers, openseat.url);
    people.push(ann);
    await ann.page.getByRole("button", { name: "Create a ladder" }).click();
    await ann.page.getByRole("button", { name: "Create", exact: true }).click();
    await ann.player.says("A ladder needs a name.");
    await ann.page.getByLabel("Name", { exact: true }).fill("Lunch break");
    await ann.page.getByRole("button", { name: "Create", exact: true }).click();
    await ann.player.reads("Lunch break");
    await ann.player.says(/counts once the opponent has confirmed it/);
    await ann.join();
    await ann.player.reads("You are 1st of 1");
  });

  test("[AR12] an arena links to its ladder and tiers, and a player refused for their rating is led to their own tier", async () => {
    await operator.ladders.create({ id: "rated", title: "Rated" });
    const tiers = [
      { name: "Bronze", from: 0 },
      { name: "Gold", from: 1200 },
    ];
    const split = { id: "split", title: "Split", game: "tic-tac-toe", ladder: "rated", tiers };
    const made = await operator.arenas.create(split);
    const [bronze, gold] = made.tiers.map(({ arena }) => `/arenas/${arena}`);
    const ann = await person("Ann", "rated");
    await ann.join();
    await ann.page.goto(`${openseat.url}${gold}`);
    await ann.player.says("Gold, 1200 and above");
    await ann.page.getByRole("button", { name: "Take a seat" }).click();
    await ann.page.getByRole("link", { name: "Go to Bronze" }).click();
    await ann.player.says("Bronze, below 1200");
    assert.equal(new URL(ann.page.url()).pathname, bronze);
    await ann.player.join();
    await ann.page.getByRole("link", { name: "See the ladder" }).click();
    await ann.player.reads("You are 1st of 1");
  });

  test("an unknown ladder and an unknown player show friendly pages, and no page has caused an error", async () => {
    const cleo = await person("Cleo", "nowhere");
    await cleo.player.reads("Ladder not found");
    await cleo.page.goto(`${address("live")}/players/nobody`);
    await cleo.player.reads("Player not found");
    await cleo.page.goto(openseat.url);
    await cleo.page.getByRole("link", { name: "Undone" }).click();
    await cleo.player.reads("Play on this ladder");
    assert.deepEqual(
      people.flatMap(({ errors }) => errors),
      [],
    );
  });
});
