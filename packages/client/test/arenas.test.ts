import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { isAfter, Player, playOut } from "./support/players.ts";
import { onStage, refusal, Stage, seeded, sharedStorage, shortly, uncalled } from "./support/stage.ts";

suite("arenas", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  const maker = () => stage.client({ token: tokenOf("maker") });
  const newArena = async (game = "tic-tac-toe") =>
    (await maker().arenas.create({ title: "Arena", game, moveTimeoutSeconds: null })).id;

  test("two people play and one waits: the winner stays, the loser goes to the back, and the match can be replayed", async () => {
    const id = await newArena();
    const [ann, bob, cem] = ["ann", "bob", "cem"].map((name) => Player.called(name, stage, id));
    const places = [await ann.arena.join(), await bob.arena.join(), await cem.arena.join()];
    assert.deepEqual(
      places.map(({ state, label, position }) => [state, label, position]),
      [
        ["seated", "X", null],
        ["seated", "O", null],
        ["waiting", null, 1],
      ],
    );
    await Promise.all([ann, bob, cem].map((it) => it.sees("the match", ({ state }) => state.match !== null)));
    const match = ann.view.state.match!.id;
    await playOut([ann, bob, cem], ["a1", "a2", "b1", "b2", "c1"]);
    const { winner, id: over } = cem.view.state.lastMatch!;
    assert.equal(over, match);
    const [first, second] = winner === "X" ? [ann, bob] : [bob, ann];
    await second.sees("the line", ({ state }) => state.you?.position === 1);
    assert.deepEqual(
      [first.view.state.you?.label, second.view.state.you?.state, cem.view.state.you?.state],
      [winner, "waiting", "seated"],
    );
    assert.ok(cem.changes.some((change) => change.type === "match-ended" && change.result.winner === winner));
    const { matches } = await cem.arena.matches({ limit: 1 });
    assert.deepEqual(matches, [cem.view.state.lastMatch]);
    const replay = await cem.arena.replay(match);
    assert.deepEqual(
      replay.moves.map(({ move }) => move),
      ["a1", "a2", "b1", "b2", "c1"],
    );
    const { arenas } = await cem.client.arenas.list({ status: "PLAYING", limit: 500 });
    assert.ok(arenas.some((arena) => arena.id === id));
    await second.arena.leave();
    await cem.sees("an empty line", ({ state }) => state.waiting === 0);
    const { result } = await cem.arena.resign();
    assert.equal(result?.reason, "resigned");
  });

  test("joining again returns the same place, seated or waiting", async () => {
    const id = await newArena();
    const people = ["ann", "bob", "cem", "dee"].map((name) =>
      stage.client({ token: tokenOf(name) }).arena(id),
    );
    for (const person of people) {
      const place = await person.join();
      assert.deepEqual(await person.join(), place);
    }
    await people[2].leave();
    assert.equal((await people[3].join()).position, 1, "the place as it is now");
  });

  test("a move names the match last seen: from joining, from a view, or as given", async () => {
    const id = await newArena();
    const [ann, bob] = ["ann", "bob"].map((name) => stage.client({ token: tokenOf(name) }));
    await assert.rejects(ann.arena(id).move("a1"), refusal("match.none", 409));
    await ann.arena(id).join();
    await bob.arena(id).join();
    const { match } = (await ann.arena(id).get()).state;
    const [mover, other] = match!.toMove[0] === "X" ? [ann, bob] : [bob, ann];
    const made = await mover.arena(id).move("a1");
    assert.deepEqual([made.match, made.move, made.result], [match!.id, "a1", null]);
    for (const unseen of [mover, other])
      await assert.rejects(unseen.arena(id).move("b1"), refusal("turn.stale", 409));
    await mover.arena(id).get();
    await assert.rejects(mover.arena(id).move("b1"), refusal("move.out-of-turn", 409));
    await other.arena(id).get();
    await assert.rejects(other.arena(id).move("a1"), refusal("move.impossible"));
    await assert.rejects(other.arena(id).move("z9"), refusal("move.unknown", 400));
    await other.arena(id).resign(match!.id);
    // A new match has started that neither client has seen.
    for (const late of [ann, bob])
      await assert.rejects(late.arena(id).move("b1"), refusal("match.over", 409));
  });

  test("a move names the turn last seen, and counts once however often it is sent", async () => {
    const id = await newArena("rock-paper-scissors");
    const [ann, bob] = ["ann", "bob"].map((name) => Player.called(name, stage, id));
    await ann.arena.join();
    await bob.arena.join();
    const seesTurn = (turn: number) =>
      Promise.all([ann, bob].map((it) => it.sees(`turn ${turn}`, ({ state }) => state.match?.turn === turn)));
    await seesTurn(1);
    const { id: match } = ann.view.state.match!;
    const twice = await Promise.allSettled([ann.arena.move("rock"), ann.arena.move("rock")]);
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    await bob.arena.move("rock");
    await seesTurn(2);
    assert.equal(ann.view.state.match!.moves, 2);
    await assert.rejects(ann.arena.move("rock", match, 1), refusal("turn.stale", 409));
    await ann.arena.move("rock");
    await bob.arena.move("rock");
    await seesTurn(3);
  });

  test("a viewer who becomes a person while watching sees their own place", async () => {
    const id = await newArena();
    const nobody = new Player(stage.client(), id);
    await nobody.sees("the arena", ({ state }) => state.you === null);
    const place = await nobody.arena.join();
    await nobody.sees("their place", ({ state }) => state.you?.ticket === place.ticket);
    assert.equal(nobody.view.state.players[0].person.id, nobody.client.me?.id);
    assert.equal(nobody.view.state.players[0].person.name, nobody.client.me?.name);
  });

  test("a viewer who becomes another person while offline sees their own place after reconnecting", async () => {
    const id = await newArena();
    const storage = sharedStorage();
    const player = new Player(stage.client({ storage }), id);
    await player.sees("the arena", ({ state }) => state.you === null);
    // Another tab, which does not use the broken network.
    const other = new Player(stage.client({ storage, url: stage.server.url }), id);
    stage.network.lead("http://127.0.0.1:1");
    stage.network.cut();
    await until("the loss", () => player.client.connection === "lost");
    const place = await other.arena.join();
    for (const [key, guest] of [...storage.kept])
      storage.set(key.replace(stage.server.url, stage.network.url), guest);
    stage.network.lead(stage.server.url);
    await player.sees("their place", ({ state }) => state.you?.ticket === place.ticket);
  });

  test("changed settings appear in the view", async () => {
    const id = await newArena();
    const watcher = new Player(stage.client(), id);
    await watcher.sees("the arena", () => true);
    const body = { title: "Renamed" };
    await stage.server.client.call(`/api/v1/arenas/${id}`, {
      method: "PATCH",
      token: tokenOf("maker"),
      body,
    });
    await watcher.sees("the title", ({ arena }) => arena.title === "Renamed");
    assert.deepEqual(watcher.view, await watcher.arena.get());
  });

  test("watching or joining an unknown arena is refused", async () => {
    const client = stage.client({ token: tokenOf("ann") });
    const refused: unknown[] = [];
    client.arena("nowhere").watch(uncalled, (error) => void refused.push(error));
    await until("the refusal", () => refused.length === 1);
    assert.ok(refusal("room.not-found", 404)(refused[0]));
    await assert.rejects(client.arena("nowhere").join(), refusal("room.not-found", 404));
  });
});

test("players and viewers of an arena see every change exactly once over 200 disconnects", (t) =>
  onStage(async (stage) => {
    const seed = Date.now() % 1_000_000;
    t.diagnostic(`seed ${seed}`);
    const random = seeded(seed);
    const { id } = await stage.client({ token: tokenOf("maker") }).arenas.create({
      title: "Rough",
      game: "tic-tac-toe",
      moveTimeoutSeconds: null,
      // On a busy machine, the cuts can keep out every heartbeat for longer than the defaults.
      reconnectGraceSeconds: null,
      heartbeatTimeoutSeconds: 3_600,
    });
    const [ann, bob, cem] = ["ann", "bob", "cem"].map(
      (name) => new Player(stage.client({ token: tokenOf(name), random: shortly(random) }), id),
    );
    // A client that is never cut, as the reference for all changes.
    const steady = new Player(stage.client({ url: stage.server.url }), id);
    for (const player of [steady, ann, bob, cem]) await player.sees("the arena", () => true);
    for (const player of [ann, bob, cem]) await player.arena.join();
    let cuts = 0;
    let moves = 0;
    const cutting = (async () => {
      while (cuts < 200) {
        await new Promise((resolve) => setTimeout(resolve, random() * 60));
        if (stage.network.open === 0) continue;
        stage.network.cut();
        cuts++;
        // A busy machine may connect more slowly than it is cut. Without progress, a move is given up after 30 seconds.
        const before = moves;
        if (cuts % 10 === 0 && cuts < 200) await until("the next move", () => moves > before);
      }
    })();
    while (cuts < 200) {
      const mover = await until("someone's turn", () => [ann, bob, cem].find(({ isToMove }) => isToMove));
      const { you, match } = mover.view.state;
      const move = you!.moves[Math.floor(random() * you!.moves.length)];
      const made = await mover.arena.move(move, match!.id);
      assert.equal(made.move, move);
      moves++;
      await mover.sees("the move", isAfter(match!));
    }
    await cutting;
    const { version } = await steady.arena.get();
    for (const player of [steady, ann, bob, cem]) {
      await player.sees("the end", (view) => view.version === version);
      assert.deepEqual(player.changes, steady.changes);
      const versions = player.views.map((view) => view.version);
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
      );
    }
    const made = steady.changes.filter(({ type }) => type === "moved").length;
    assert.equal(made, moves, "each move was made once");
    const atOnce = Math.max(...[ann, bob, cem].flatMap(({ counts }) => counts));
    t.diagnostic(`${cuts} cuts, ${moves} moves, ${steady.changes.length} changes, up to ${atOnce} at once`);
  }));
