import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LadderCommand, ladderDecider, type PlayerNumber } from "@openseat/kernel";
import { person } from "../room-stage.ts";
import { LadderStage, leave, result } from "./stage.ts";

type Delivered = Extract<LadderCommand, { type: "deliver" }>["deliveries"][number];
const from = "directory/main";

/** Deliveries of the directory, with consecutive versions from `first`. */
const sent = (first: number, ...bodies: Omit<Delivered, "version">[]): LadderCommand => ({
  type: "deliver",
  from,
  deliveries: bodies.map((body, nth) => ({ ...body, version: first + nth }) as Delivered),
});
const named = (person: string, name: string) =>
  ({ named: [person, name] }) as unknown as Omit<Delivered, "version">;
const gone = (person: string) => ({ gone: person }) as unknown as Omit<Delivered, "version">;
/** The result of a duel: `ann 1:0 bob`. */
const duel = (text: string) => {
  const [first, , second] = text.split(" ");
  return { ...result(text), names: [`Duellist ${first}`, `Duellist ${second}`], duel: true } as Omit<
    Delivered,
    "version"
  >;
};

const types = (stage: LadderStage, command: LadderCommand) => stage.do(command).map(({ type }) => type);
const nameOf = (stage: LadderStage, person: string) => stage.of(person).name;

/** The table rows of players that the latest entry changed. */
function playerRows(stage: LadderStage) {
  return ladderDecider.rows!(stage.ladder, stage.entries.slice(-1)).players;
}

describe("another name", () => {
  test("[NM3][LD12] is shown from then on in standings, rows and replies", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob");
    assert.deepEqual(types(stage, sent(5, named("ann", "Queen"))), ["renamed", "received"]);
    assert.equal(nameOf(stage, "ann"), "Queen");
    assert.equal(stage.of("ann").rating, 1016);
    assert.deepEqual(playerRows(stage), [[1, "ann", "Queen", 1_000, null]]);
    assert.match(JSON.stringify(ladderDecider.listing(stage.ladder)), /"name":"Queen"/);
  });

  test("[NM3][LD12] is applied once, in order, and only for players", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    const both = sent(5, named("ann", "One"), named("ann", "Two"), named("nobody", "Three"));
    assert.deepEqual(types(stage, both), ["renamed", "renamed", "received"]);
    assert.equal(nameOf(stage, "ann"), "Two");
    stage.refused(both, "delivery.repeated");
    assert.deepEqual(types(stage, sent(7, named("ann", "Old"), named("ann", "New"))), [
      "renamed",
      "received",
    ]);
    assert.equal(nameOf(stage, "ann"), "New");
    assert.deepEqual(types(stage, sent(9, named("nobody", "Three"))), ["received"]);
    assert.deepEqual(playerRows(stage), []);
    assert.equal(stage.ladder.players.size, 2);
  });

  test("[NM3] also applies to a player who left, who stays away", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(leave("ann"));
    stage.do(sent(1, named("ann", "Queen")));
    assert.equal(nameOf(stage, "ann"), "Queen");
    assert.deepEqual(stage.table, ["1 bob"]);
  });

  test("[CH5] a late request to be forgotten does not remove a player who has since come back", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    const asker = { person: person("ann"), name: "Queen" };
    const question = { type: "register" } as const;
    stage.do({ type: "discuss", question, asker, said: "register", heardAt: 7, to: null });
    assert.deepEqual(types(stage, sent(5, named("ann", "King"), gone("ann"))), ["received"]);
    assert.deepEqual(stage.table, ["1 ann", "1 bob"]);
    const later = stage.restored;
    assert.equal(later.registrations.get(person("ann")), 7);
    assert.deepEqual(types(stage, sent(8, gone("ann"))), ["renamed", "left", "received"]);
    assert.deepEqual(types(stage, sent(9, gone("bob"))), ["renamed", "left", "received"]);
  });

  test("[NM3][LG5] is kept after a restart, from a snapshot and from the log", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob");
    stage.do(sent(1, named("ann", "Žižek 🦊"), gone("bob")));
    for (const ladder of [stage.restored, stage.replayed]) {
      assert.equal(ladder.players.nameOf(1 as PlayerNumber), "Žižek 🦊");
      assert.equal(ladder.players.nameOf(2 as PlayerNumber), "forgotten");
      assert.deepEqual(ladderDecider.snapshots.save(ladder), stage.saved);
    }
  });
});

describe("a person who is forgotten", () => {
  test("[CH5][LD12] leaves the ladder and has no name there; their matches stay", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob");
    assert.deepEqual(types(stage, sent(5, gone("ann"))), ["renamed", "left", "received"]);
    assert.deepEqual(stage.table, ["1 bob"]);
    assert.equal(nameOf(stage, "ann"), "forgotten");
    assert.equal(stage.rating("bob"), 984);
    assert.deepEqual(playerRows(stage), [[1, "ann", "forgotten", 1_000, stage.now]]);
    stage.refused(sent(5, gone("ann")), "delivery.repeated");
    stage.void(1);
    assert.equal(stage.rating("bob"), 1000);
  });

  test("[CH5] also if they had left before, or never were a player", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(leave("ann"));
    assert.deepEqual(types(stage, sent(1, gone("ann"))), ["renamed", "received"]);
    assert.deepEqual(types(stage, sent(2, gone("ann"), gone("nobody"))), ["renamed", "received"]);
    assert.equal(stage.ladder.players.size, 2);
  });

  test("[CH5][LD12] comes back by playing again, in another delivery or in the same", () => {
    const stage = new LadderStage({ duels: true }).enrol("ann", "bob").play("ann 1:0 bob");
    stage.do(sent(1, gone("ann")));
    assert.deepEqual(types(stage, sent(2, duel("ann 1:0 bob"))), ["returned", "counted", "received"]);
    assert.equal(nameOf(stage, "ann"), "Duellist ann");
    const all = sent(
      3,
      gone("ann"),
      duel("bob 1:0 ann"),
      duel("bob 1:0 ann"),
      gone("ann"),
      duel("ann 0:0 bob"),
    );
    assert.deepEqual(types(stage, all), [
      ...["renamed", "left", "returned", "counted", "counted"],
      ...["renamed", "left", "returned", "counted", "received"],
    ]);
    assert.equal(stage.of("ann").games, 5);
    assert.deepEqual(stage.table, ["1 bob", "2 ann"]);
    assert.deepEqual(types(stage, sent(8, gone("ann"), gone("ann"), named("bob", "B"))), [
      ...["renamed", "left", "renamed", "renamed", "received"],
    ]);
  });

  test("[CH5][LD12] works for two at once, one of whom plays the other", () => {
    const stage = new LadderStage({ duels: true }).enrol("ann", "bob");
    const all = sent(1, gone("bob"), gone("ann"), duel("ann 1:0 bob"), named("ann", "Queen"), gone("bob"));
    assert.deepEqual(types(stage, all), [
      ...["renamed", "left", "renamed", "left", "returned", "returned", "counted"],
      ...["renamed", "renamed", "left", "received"],
    ]);
    assert.deepEqual(stage.table, ["1 ann"]);
    assert.equal(nameOf(stage, "ann"), "Queen");
  });
});

describe("duels", () => {
  test("[LD12] a person who duels, is forgotten and duels again in one delivery is one player", () => {
    const stage = new LadderStage({ duels: true });
    assert.deepEqual(types(stage, sent(1, duel("ann 1:0 bob"), gone("ann"), duel("ann 1:0 bob"))), [
      ...["enrolled", "enrolled", "counted", "renamed", "left", "returned", "counted", "received"],
    ]);
    assert.equal(stage.of("ann").wins, 2);
  });

  test("[CH4][LD12] count at once on a ladder that takes them, with the names of their players", () => {
    const stage = new LadderStage({ duels: true, confirm: true });
    assert.deepEqual(types(stage, sent(4, duel("ann 1:0 bob"), duel("bob 0:0 ann"))), [
      ...["enrolled", "enrolled", "counted", "counted", "received"],
    ]);
    const { wins, draws, losses, name } = stage.of("ann");
    assert.deepEqual([wins, draws, losses, name], [1, 1, 0, "Duellist ann"]);
    stage.refused(sent(4, duel("ann 1:0 bob"), duel("bob 0:0 ann")), "delivery.repeated");
  });

  test("[CH4][LD12] are received without effect elsewhere; other matches count", () => {
    for (const terms of [{}, { duels: false }, { duels: true, open: false }]) {
      const stage = new LadderStage(terms);
      assert.deepEqual(types(stage, sent(4, duel("ann 1:0 bob"))), ["received"]);
      assert.equal(stage.ladder.players.size, 0);
      const { duel: _, ...arena } = duel("ann 1:0 bob") as Delivered & { duel: true };
      assert.deepEqual(types(stage, sent(5, arena)), ["enrolled", "enrolled", "counted", "received"]);
    }
  });

  test("[CH4] can be turned on and off while the ladder runs", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    const asker = { by: "carol", role: "person" } as const;
    stage.do({ type: "configure", changes: { duels: true }, asker });
    assert.deepEqual(types(stage, sent(1, duel("ann 1:0 bob"))), ["counted", "received"]);
    stage.do({ type: "configure", changes: { duels: false }, asker });
    assert.deepEqual(types(stage, sent(2, duel("ann 1:0 bob"))), ["received"]);
    assert.equal(stage.of("ann").games, 1);
  });
});
