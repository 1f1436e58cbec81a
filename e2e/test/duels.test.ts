import assert from "node:assert/strict";
import { Openseat } from "@openseat/client";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";
import { TalkingPerson } from "../support/talking-people.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

describe("duels, with two people in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;
  let operator: Openseat;
  const people: TalkingPerson[] = [];
  async function person(options?: Parameters<Browsers["person"]>[0]): Promise<TalkingPerson> {
    const made = await TalkingPerson.at(`${openseat.url}/duels`, browsers, options);
    people.push(made);
    return made;
  }
  async function called(nickname: string, options?: Parameters<typeof person>[0]): Promise<TalkingPerson> {
    const made = await person(options);
    await made.takesNickname(nickname);
    await made.page.getByRole("heading", { name: "Challenge someone" }).waitFor();
    return made;
  }

  before(async () => {
    await buildPages();
    openseat = await startServer();
    operator = new Openseat({ url: openseat.url, token: openseat.operatorKey });
    await operator.ladders.create({ id: "duels", title: "Lunch duels", duels: true });
    browsers = await startChromium();
  });
  after(async () => {
    operator?.close();
    await browsers?.close();
    await openseat?.stop();
  });

  test("[NM1] [NM2] [NM3] a nickname is chosen and changed, and refusals are shown", async () => {
    await called("Zoë");
    const other = await person();
    await other.takesNickname("ZOË");
    await other.page.getByRole("alert").filter({ hasText: "is taken. Please choose another" }).waitFor();
    await other.takesNickname("a b");
    await other.page.getByText("A nickname has 2 to 20 letters, digits, _ or -.").waitFor();
    await other.takesNickname("Yves");
    await other.page.getByText("Your nickname is Yves.").waitFor();
    await other.page.getByRole("button", { name: "Change", exact: true }).click();
    await other.takesNickname("Yvette");
    await other.page.getByText("Your nickname is Yvette.").waitFor();
    assert.equal((await operator.people.find("yvette")).nickname, "Yvette");
    await assert.rejects(operator.people.find("yves"));
  });

  test("[CH4] [MT3] a challenge appears on the opponent's page, the throw stays secret, and both see the result", async () => {
    const [cem, dan] = [await called("Cem"), await called("Dan")];
    await cem.challenges("@dan", "Paper", "Lunch duels");
    await cem.duelWith("Dan").getByText("You threw paper. It is secret until Dan throws too.").waitFor();
    const duel = dan.duelWith("Cem");
    await duel.getByText("Cem has thrown. What do you throw?").waitFor();
    await dan.page.waitForFunction(() => document.title === "(1) Duels · Openseat");
    assert.doesNotMatch(await dan.page.locator("main").innerText(), /threw/);
    assert.ok(await duel.getByLabel("Let it count on Lunch duels").isChecked());
    await duel.getByRole("button", { name: "Rock" }).click();
    await dan.hasFinished("Cem beat you");
    await cem.hasFinished("You beat Dan");
    await cem.hasFinished("Paper against rock");
    await cem.page.getByRole("status").filter({ hasText: "You beat Dan." }).waitFor();
    await cem.page
      .getByRole("region", { name: "Finished" })
      .getByRole("link", { name: "Lunch duels" })
      .click();
    await cem.page
      .getByRole("table")
      .getByRole("row")
      .filter({ hasText: "Cem" })
      .filter({ hasText: "1016" })
      .waitFor();
    await cem.page.getByRole("link", { name: "Duels count here" }).click();
    await cem.page.getByRole("heading", { name: "Challenge someone" }).waitFor();
    assert.equal(await cem.page.getByLabel("Count it on a ladder").inputValue(), "duels", "it is remembered");
  });

  test("[CH4] a duel does not count if the opponent declines the ladder", async () => {
    const [eda, finn] = [await called("Eda"), await called("Finn")];
    const { matches } = (await operator.ladder("duels").get()).ladder;
    await eda.challenges("finn", "Rock", "Lunch duels");
    await finn.duelWith("Eda").getByLabel("Let it count on Lunch duels").uncheck();
    await finn.duelWith("Eda").getByRole("button", { name: "Rock" }).click();
    await eda.hasFinished("You and Finn drew");
    assert.equal(await eda.page.getByRole("region", { name: "Finished" }).getByRole("link").count(), 0);
    assert.equal((await operator.ladder("duels").get()).ladder.matches, matches);
  });

  test("both players see when a challenge is declined or withdrawn", async () => {
    const [gil, hana] = [await called("Gil"), await called("Hana")];
    await gil.challenges("hana", "Scissors");
    await hana.duelWith("Gil").getByRole("button", { name: "Decline" }).click();
    await gil.hasFinished("The duel with Hana was declined");
    await gil.challenges("hana", "Scissors");
    await hana.duelWith("Gil").waitFor();
    await gil.duelWith("Hana").getByRole("button", { name: "Withdraw" }).click();
    await hana.hasFinished("The duel with Gil was withdrawn");
    await hana.duelWith("Gil").waitFor({ state: "detached" });
  });

  test("an unknown opponent, oneself and a missing throw are refused, and the input is kept", async () => {
    const ira = await called("Ira");
    const form = ira.page.locator("form", { hasText: "Challenge someone" });
    await form.getByRole("button", { name: "Challenge" }).click();
    await form.getByText("Type your opponent's nickname.").waitFor();
    await form.getByLabel("Their nickname").fill("nobody");
    await form.getByRole("button", { name: "Challenge" }).click();
    await form.getByText("Choose rock, paper or scissors.").waitFor();
    await ira.challenges("nobody", "Rock");
    await form.getByText("Nobody here has the nickname nobody.").waitFor();
    assert.equal(await form.getByLabel("Their nickname").inputValue(), "nobody");
    await ira.challenges("ira", "Rock");
    await form.getByText("You cannot challenge yourself.").waitFor();
  });

  test("[CH6] throws on the duels page appear in the chat, and the other way round", async () => {
    const [jan, kai] = [await called("Jan"), await called("Kai")];
    await kai.page.getByRole("link", { name: "Chat" }).click();
    await jan.challenges("kai", "Rock");
    await kai.reads("Jan challenges you to rock, paper, scissors!");
    await kai.asks("throw paper", "You threw paper, Jan threw rock: you win!");
    await jan.hasFinished("Kai beat you");
  });

  test("on phones nothing is wider than the page, with long names and many duels", async () => {
    const long = "W".repeat(20);
    const lea = await called(long, { viewport: { width: 320, height: 568 } });
    const mo = await called("Mo");
    await mo.challenges(long, "Rock", "Lunch duels");
    await lea.duelWith("Mo").waitFor();
    await lea.isNotScrolledSideways();
    await lea.duelWith("Mo").getByRole("button", { name: "Rock" }).click();
    await lea.hasFinished("You and Mo drew");
    await lea.challenges("mo", "Paper");
    await lea.duelWith("Mo").getByRole("button", { name: "Withdraw" }).waitFor();
    await lea.isNotScrolledSideways();
    assert.deepEqual(
      people.flatMap(({ errors }) => errors),
      [],
    );
  });
});
