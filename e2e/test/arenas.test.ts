import assert from "node:assert/strict";
import { Openseat } from "@openseat/client";
import { buildPages } from "@openseat/web/build";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { waitMsMax } from "../../packages/server/test/support/patience.ts";
import { startServer, type TestServer } from "../../packages/server/test/support/server.ts";
import { arenaAt, Player, playToDraw, playUntilWonBy } from "../support/arena-people.ts";
import { type Browsers, startChromium } from "../support/chromium.ts";
import { missingBrowser } from "../support/find-browser.ts";

const { after, before, describe, test } = testsNeeding(missingBrowser);

const lookMs = 50;

describe("arenas, with three people in a real browser", () => {
  let openseat: TestServer;
  let browsers: Browsers;
  let operator: Openseat;
  const address = (id: string) => `${openseat.url}/arenas/${id}`;
  const person = (name: string, id: string) => Player.named(name, browsers, address(id));
  const namesIn = async (id: string) => {
    const { state } = await arenaAt(openseat.url, id);
    return {
      seats: Object.fromEntries(state.players.map(({ label, person }) => [label, person.name])),
      streaks: Object.fromEntries(state.players.map(({ person, streak }) => [person.name, streak])),
      line: state.line.map(({ person }) => person.name),
      matches: state.match?.number,
    };
  };
  async function until<Value>(look: () => Promise<Value | undefined | false>, what: string): Promise<Value> {
    const deadline = Date.now() + waitMsMax;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      assert.ok(Date.now() < deadline, `waited in vain for: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

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

  test("[AR1] [AR3] [AR5] [AR6] [AR7] [AR11] the winner stays and the loser goes to the back, with a streak and a draw", async () => {
    const id = "winner-stays";
    await operator.arenas.create({ id, title: "Winner stays", game: "tic-tac-toe", maxWins: 2 });
    const [ann, bob, cleo] = [await person("Ann", id), await person("Bob", id), await person("Cleo", id)];
    const table = { url: openseat.url, id, players: [ann, bob, cleo] };
    await ann.join();
    await ann.reads("Waiting for a player");
    await bob.join();
    await cleo.join();
    await cleo.reads("You are next");
    assert.deepEqual((await namesIn(id)).line, ["Cleo"]);

    await playUntilWonBy(ann, table);
    await bob.hasRead("Ann wins.", "heading");
    await bob.hasRead("You go to the back of the line: position 1.");
    await cleo.hasRead("You have a seat: you play O.");
    assert.deepEqual(await namesIn(id), {
      seats: { X: "Ann", O: "Cleo" },
      streaks: { Ann: 1, Cleo: 0 },
      line: ["Bob"],
      matches: 2,
    });
    await bob.page
      .getByRole("list", { name: "Players" })
      .getByText("1 win", { exact: true })
      .first()
      .waitFor();

    await playUntilWonBy(ann, table);
    await cleo.hasRead("You go to the back of the line: position 1.");
    assert.deepEqual(
      await namesIn(id),
      { seats: { X: "Bob", O: "Ann" }, streaks: { Bob: 0, Ann: 0 }, line: ["Cleo"], matches: 3 },
      "two wins in a row were the most: Ann went to the back, ahead of Cleo",
    );

    await playToDraw(table);
    // Not Cleo: she may have to move at once, and then sees "Your turn" first.
    await bob.hasRead("A draw.", "heading");
    assert.deepEqual(
      await namesIn(id),
      { seats: { X: "Cleo", O: "Ann" }, streaks: { Cleo: 0, Ann: 0 }, line: ["Bob"], matches: 4 },
      "Bob sat down first of the two, so he had held a seat longest",
    );
  });

  test("[AR8] [LS5] a closed tab keeps its seat for the grace period or if another tab is open; then the opponent wins", async () => {
    const id = "grace";
    await operator.arenas.create({ id, title: "Grace", game: "tic-tac-toe", reconnectGraceSeconds: 300 });
    const [ann, bob] = [await person("Ann", id), await person("Bob", id)];
    await ann.join();
    await bob.join();
    const before = await arenaAt(openseat.url, id);

    await bob.page.close();
    await bob.opensAgain(address(id));
    await bob.says("Resign");
    const second = await bob.context.newPage();
    await second.goto(address(id));
    await second.getByRole("button", { name: "Resign" }).waitFor();
    await second.close();
    await playUntilWonBy(bob, { url: openseat.url, id, players: [ann, bob] });
    const { state } = await arenaAt(openseat.url, id);
    assert.equal(state.lastMatch?.id, before.state.match?.id, "the same match continued");
    assert.equal(state.lastMatch?.reason, "played");

    // Shorten the grace only now, because loading a page can take longer on a slow machine.
    const changed = await openseat.client.call(`/api/v1/arenas/${id}`, {
      ...{ method: "PATCH", token: openseat.operatorKey, body: { reconnectGraceSeconds: 4 } },
    });
    assert.equal(changed.status, 200, changed.text);
    await bob.page.close();
    await ann.hasRead("Bob lost the connection.");
    assert.deepEqual(await namesIn(id), {
      seats: { [state.players.find(({ person }) => person.name === "Ann")!.label]: "Ann" },
      streaks: { Ann: 1 },
      line: [],
      matches: undefined,
    });
    await bob.opensAgain(address(id));
    await bob.page.getByRole("button", { name: "Take a seat" }).waitFor();
  });

  test("[MT3] rock, paper, scissors by keyboard: no other page shows a throw until both have thrown", async () => {
    const id = "secret";
    await operator.arenas.create({
      id,
      title: "Secret",
      game: "rock-paper-scissors",
      options: { bestOf: 1 },
    });
    const [ann, bob, cleo] = [await person("Ann", id), await person("Bob", id), await person("Cleo", id)];
    await ann.join();
    await bob.join();
    await ann.reads("Your turn");
    await until(async () => {
      await ann.page.keyboard.press("2");
      const { state } = await arenaAt(openseat.url, id);
      return state.match?.moves === 1;
    }, "Ann's throw");
    await ann.says("You chose paper.");
    await cleo.says("Bob to move");
    await bob.reads("Your turn");
    for (const { page } of [bob, cleo]) {
      assert.equal(await page.locator("[aria-pressed=true]").count(), 0);
      assert.equal(await page.getByText(/Round 1/).count(), 0);
    }
    await bob.page.keyboard.press("1");
    await Promise.all([cleo.says(/Round 1.*(paper|Paper)/), bob.says(/Ann wins/)]);
  });

  test("[MT4] [AR11] a board is played with arrow keys and replayed", async () => {
    const id = "keys";
    await operator.arenas.create({ id, title: "Keys", game: "connect-four", maxWins: 1 });
    const [ann, bob] = [await person("Ann", id), await person("Bob", id)];
    await ann.join();
    await bob.join();
    const first = (await arenaAt(openseat.url, id)).state;
    const order = first.match!.toMove[0] === first.players[0].label ? [ann, bob] : [bob, ann];
    for (let turn = 0; turn < 7; turn++) {
      const mover = order[turn % 2];
      await mover.reads("Your turn");
      const cells = mover.page.getByRole("grid");
      await cells.getByRole("gridcell").first().focus();
      await mover.page.keyboard.press("Home");
      if (turn % 2 === 1) await mover.page.keyboard.press("End");
      await until(
        async () => {
          await mover.page.keyboard.press("Enter");
          const { state } = await arenaAt(openseat.url, id);
          return state.match?.moves !== turn || state.lastMatch !== null;
        },
        `move ${turn + 1}`,
      );
    }
    const { state } = await arenaAt(openseat.url, id);
    assert.equal(state.lastMatch?.moves, 7);
    await ann.page.goto(`${address(id)}/matches/${state.lastMatch?.id}`);
    await ann.says(new RegExp(`${order[0].name} wins`));
    await ann.page.getByRole("button", { name: "To the beginning" }).click();
    const discs = () => ann.page.getByRole("gridcell", { name: /(Red|Yellow)/ }).count();
    await until(async () => (await discs()) === 0, "the empty board");
    for (let step = 1; step <= 7; step++) {
      await ann.page.getByRole("button", { name: "One move forward" }).click();
      await until(async () => (await discs()) === step, `${step} discs`);
    }
    await ann.page
      .getByRole("gridcell", { name: /winning line/ })
      .first()
      .waitFor();
  });

  test("[GM8] the home page leads to a game, where people take a seat, wait in line and move up", async () => {
    const { id } = await operator.games.create({ title: "One chair", maxPlayers: 1, waitlist: true });
    const [ann, bob] = [
      await Player.named("Ann", browsers, openseat.url),
      await Player.named("Bob", browsers, openseat.url),
    ];
    for (const { page } of [ann, bob]) await page.getByRole("link", { name: /One chair/ }).click();
    assert.equal(new URL(ann.page.url()).pathname, `/games/${id}`);
    await ann.page.getByRole("button", { name: /take a seat|join/i }).click();
    await ann.reads(/you are in|seat is yours/i);
    await bob.page.getByRole("button", { name: /line|wait/i }).click();
    await bob.reads(/you are next/i);
    await ann.page.getByRole("button", { name: /leave/i }).first().click();
    await ann.page.getByRole("button", { name: "Yes, leave" }).click();
    await bob.reads(/you are in|seat is yours/i);
  });

  test("a double click leaves once and shows no error", async () => {
    const id = "twice";
    await operator.arenas.create({ id, title: "Twice", game: "tic-tac-toe" });
    const ann = await person("Ann", id);
    await ann.join();
    let asked = 0;
    ann.page.on("request", (request) => {
      if (request.url().endsWith("/leave")) asked++;
    });
    await ann.page.getByRole("button", { name: "Leave" }).dblclick();
    await ann.reads("A seat is free");
    assert.equal(asked, 1);
    await ann.context.close();
  });

  test("an unknown arena shows a friendly page, and no page causes an error in the browser", async () => {
    const context = await browsers.person();
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(address("nowhere"));
    await page.getByRole("heading", { name: /arena not found/i }).waitFor();
    for (const path of ["/", "/games/nowhere", "/arenas/winner-stays", "/arenas/winner-stays/matches/1"]) {
      await page.goto(`${openseat.url}${path}`);
      await page.getByRole("heading").first().waitFor();
    }
    assert.deepEqual(errors, []);
  });
});
