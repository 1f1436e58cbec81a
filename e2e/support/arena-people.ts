import assert from "node:assert/strict";
import type { ArenaAtVersion } from "@openseat/client";
import type { BrowserContext, Page } from "playwright-core";
import { waitMsMax } from "../../packages/server/test/support/patience.ts";
import type { Browsers } from "./chromium.ts";

const lookMs = 50;
const clicksEvery = 12;

/** A person with their own browser, on the page of an arena. */
export class Player {
  readonly name: string;
  readonly context: BrowserContext;
  page: Page;

  private constructor(name: string, context: BrowserContext, page: Page) {
    this.name = name;
    this.context = context;
    this.page = page;
  }

  static async named(name: string, browsers: Browsers, address: string): Promise<Player> {
    const context = await browsers.person();
    const player = new Player(name, context, await newPage(context));
    await player.page.goto(address);
    await player.rename();
    return player;
  }

  /** Renames the guest of the first visit. */
  async rename(): Promise<void> {
    await this.page.getByRole("button", { name: /your name/i }).click();
    await this.page.getByLabel("Your name").fill(this.name);
    await this.page.getByRole("button", { name: "Save" }).click();
    await this.page.getByRole("button", { name: new RegExp(this.name) }).waitFor();
  }

  async join(): Promise<void> {
    await this.page.getByRole("button", { name: /^(Take a seat|Join the line)$/ }).click();
    await this.page.getByRole("button", { name: /^Leave/ }).waitFor();
  }

  async reads(words: string | RegExp): Promise<void> {
    await this.page.getByRole("heading", { name: words }).waitFor();
  }

  async says(words: string | RegExp): Promise<void> {
    await this.page.getByText(words).first().waitFor();
  }

  /** Waits until the page has shown the text at some time, even if only for a few seconds. */
  async hasRead(words: string, where: "heading" | "text" = "text"): Promise<void> {
    const isSeen = ([where, words]: readonly [keyof Seen, string]) =>
      [...(globalThis as unknown as { seen: Seen }).seen[where]].some((text) => text.includes(words));
    await this.page.waitForFunction(isSeen, [where, words] as const, { polling: lookMs });
  }

  /** Plays once it is their turn. Clicks until it counts, because the page ignores clicks in the first moment of a match. */
  async plays(cell: string, { url, id }: Pick<Table, "url" | "id">): Promise<void> {
    await this.reads("Your turn");
    const turn = turnIn(await arenaAt(url, id));
    const deadline = Date.now() + waitMsMax;
    for (let tries = 0; turnIn(await arenaAt(url, id)) === turn; tries++) {
      assert.ok(Date.now() < deadline, `${this.name} could not play ${cell}`);
      if (tries % clicksEvery === 0)
        await this.page.getByRole("gridcell", { name: `${cell}, empty` }).click();
      await this.page.waitForTimeout(lookMs);
    }
  }

  /** Another tab of the same person. */
  async opensAgain(address: string): Promise<void> {
    this.page = await newPage(this.context);
    await this.page.goto(address);
  }
}

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(noteAllShown);
  return page;
}

/** The texts a page has shown since it was loaded. */
interface Seen {
  readonly heading: Set<string>;
  readonly text: Set<string>;
}

/** Runs in the page, because a slow test would miss texts that are shown only briefly. */
function noteAllShown(): void {
  const seen: Seen = { heading: new Set(), text: new Set() };
  Object.assign(globalThis, { seen });
  const note = () => {
    for (const heading of document.querySelectorAll("h1, h2, h3, [role=heading]"))
      seen.heading.add(heading.textContent);
    for (const line of document.body?.innerText.split("\n") ?? []) seen.text.add(line);
  };
  new MutationObserver(note).observe(document, {
    ...{ subtree: true, childList: true, characterData: true, attributes: true },
  });
}

/** The arena as the server has it. */
export async function arenaAt(url: string, id: string): Promise<ArenaAtVersion> {
  const answer = await fetch(`${url}/api/v1/arenas/${id}`);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { data: ArenaAtVersion }).data;
}

/** Two lists of cells: the future winner plays the first, the other plays harmless cells. */
const winning = ["row 1, column 1", "row 1, column 2", "row 1, column 3"];
const losing = ["row 2, column 1", "row 2, column 2", "row 3, column 3"];
/** Ends in a draw, regardless of who begins. */
const level = [
  "row 1, column 1",
  "row 2, column 2",
  "row 1, column 2",
  "row 1, column 3",
  "row 3, column 1",
  "row 2, column 1",
  "row 2, column 3",
  "row 3, column 2",
  "row 3, column 3",
];

function turnIn({ state }: ArenaAtVersion): string {
  return `${state.match?.id} ${state.match?.moves}`;
}

export interface Table {
  readonly url: string;
  readonly id: string;
  readonly players: readonly Player[];
}

async function inTurn({ url, id, players }: Table): Promise<Player[]> {
  const { state } = await arenaAt(url, id);
  const [first] = state.match!.toMove;
  const byLabel = (label: string) => {
    const { name } = state.players.find((player) => player.label === label)!.person;
    return players.find((player) => player.name === name)!;
  };
  const second = state.players.find((player) => player.label !== first)!.label;
  return [byLabel(first), byLabel(second)];
}

/** Plays the current match on the pages until this player has won. */
export async function playUntilWonBy(winner: Player, table: Table): Promise<void> {
  const order = await inTurn(table);
  const [wins, loses] = [[...winning], [...losing]];
  for (let turn = 0; wins.length > 0; turn++) {
    const mover = order[turn % 2];
    await mover.plays((mover === winner ? wins : loses).shift()!, table);
  }
}

export async function playToDraw(table: Table): Promise<void> {
  const order = await inTurn(table);
  for (const [turn, cell] of level.entries()) await order[turn % 2].plays(cell, table);
}
