import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { Browsers } from "./chromium.ts";

/** A person with their own browser, on the chat or duels page. */
export class TalkingPerson {
  readonly page: Page;
  /** Errors in the browser. */
  readonly errors: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", ({ message }) => {
      // Ignore the error that Chromium logs when it skips a view transition.
      if (!message.startsWith("Transition was")) this.errors.push(message);
    });
  }

  static async at(
    address: string,
    browsers: Browsers,
    options: Parameters<Browsers["person"]>[0] = {},
  ): Promise<TalkingPerson> {
    const context = await browsers.person(options);
    const person = new TalkingPerson(await context.newPage());
    await person.page.goto(address);
    return person;
  }

  get field(): Locator {
    return this.page.getByLabel("Your message");
  }

  /** The texts in the conversation. */
  get bubbles(): Locator {
    return this.page.getByRole("region", { name: "The conversation" }).locator(".bubble");
  }

  async says(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  /** Waits until the conversation contains the text exactly once. */
  async reads(words: string | RegExp): Promise<void> {
    const bubble = this.bubbles.filter({ hasText: words });
    await bubble.waitFor();
  }

  /** Sends a message and waits for the reply. */
  async asks(text: string, answer: string | RegExp): Promise<void> {
    await this.says(text);
    await this.reads(answer);
  }

  /** Challenges someone on the duels page. */
  async takesNickname(nickname: string): Promise<void> {
    await this.page.getByLabel("Your nickname").fill(nickname);
    await this.page.getByRole("button", { name: "Save", exact: true }).click();
  }

  async challenges(nickname: string, hand: string, ladder?: string): Promise<void> {
    const form = this.page.locator("form", { hasText: "Challenge someone" });
    await form.getByLabel("Their nickname").fill(nickname);
    await form.getByRole("button", { name: hand }).click();
    if (ladder !== undefined) await form.getByLabel("Count it on a ladder").selectOption({ label: ladder });
    await form.getByRole("button", { name: "Challenge" }).click();
  }

  /** The card of the open duel with this opponent. */
  duelWith(nickname: string): Locator {
    return this.page.getByRole("listitem").filter({
      has: this.page.getByRole("heading", { name: nickname, exact: true }),
    });
  }

  async hasFinished(words: string): Promise<void> {
    await this.page.getByRole("region", { name: "Finished" }).getByText(words).first().waitFor();
  }

  async isNotScrolledSideways(): Promise<void> {
    const [content, window] = await this.page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(content <= window, `${content} of ${window} at ${this.page.url()}`);
  }
}
