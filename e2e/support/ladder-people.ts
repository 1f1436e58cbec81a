import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { Player } from "./arena-people.ts";
import type { Browsers } from "./chromium.ts";

/** A person with their own browser, on the page of a ladder. */
export class LadderPerson {
  readonly name: string;
  readonly player: Player;
  /** Errors in the browser. */
  readonly errors: string[] = [];

  private constructor(name: string, player: Player) {
    this.name = name;
    this.player = player;
    player.page.on("pageerror", ({ message }) => {
      // Ignore the error that Chromium logs when it skips a view transition.
      if (!message.startsWith("Transition was")) this.errors.push(message);
    });
  }

  static async named(name: string, browsers: Browsers, address: string): Promise<LadderPerson> {
    return new LadderPerson(name, await Player.named(name, browsers, address));
  }

  get page(): Page {
    return this.player.page;
  }

  async join(): Promise<void> {
    await this.page.getByRole("button", { name: "Join the ladder" }).click();
    await this.page.getByRole("button", { name: "Report a match" }).waitFor();
  }

  /** Waits until their row in the standings shows this rating. */
  async seesRated(name: string, rating: number): Promise<void> {
    const row = this.page.getByRole("table").getByRole("row").filter({ hasText: name });
    await row.filter({ hasText: String(rating) }).waitFor();
  }

  async opensReport(): Promise<Locator> {
    await this.page.getByRole("button", { name: "Report a match" }).click();
    const dialog = this.page.getByRole("dialog");
    await dialog.waitFor();
    return dialog;
  }

  /** Reports a match by keyboard, finding the opponent by the beginning of the name. */
  async reportsByKeyboard(opponent: string, yours: string, theirs: string): Promise<void> {
    const dialog = await this.opensReport();
    const { keyboard } = this.page;
    await keyboard.type(opponent.slice(0, 2).toLowerCase());
    await dialog.getByRole("option", { name: opponent }).waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    for (const score of [yours, theirs]) {
      await keyboard.press("Tab");
      await keyboard.type(score);
    }
    await keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  }

  /** Marks the page, to check later that it was not reloaded. */
  async marksPage(): Promise<void> {
    await this.page.evaluate(() => {
      document.documentElement.dataset.mark = "mine";
    });
  }

  async isSamePage(): Promise<void> {
    assert.equal(await this.page.evaluate(() => document.documentElement.dataset.mark), "mine");
  }
}
