import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderDecider, ladderLimits } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { person } from "../room-stage.ts";
import { deliver, enrol, LadderStage, leave, only } from "./stage.ts";

describe("results from other streams", () => {
  test("[LD12] count at once, in one entry with the version handled so far", () => {
    const stage = new LadderStage({ confirm: true, open: false });
    const events = stage.do(deliver("arena/a", { 4: "ann 1:0 bob", 9: "bob 1:1 ann" }));
    assert.deepEqual(typesOf(events), ["enrolled", "enrolled", "counted", "counted", "received"]);
    assert.deepEqual(
      only(events, "counted").map(({ origin, reporter }) => [origin, reporter]),
      [
        ["arena/a#4", "source"],
        ["arena/a#9", "source"],
      ],
    );
    assert.deepEqual(events.at(-1), { type: "received", from: "arena/a", version: 9 });
    assert.equal(stage.of("ann").name, "Imported ann");
    assert.equal(stage.of("ann").games, 2);
  });

  test("[LD12] repeated deliveries are refused, whole or in part, and count once", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    const first = deliver("arena/a", { 4: "ann 1:0 bob", 9: "ann 1:0 bob" });
    stage.do(first);
    stage.refused(first, "delivery.repeated");
    stage.refused(deliver("arena/a", { 4: "ann 1:0 bob" }), "delivery.repeated");
    stage.refused(deliver("arena/a", { 1: "ann 1:0 bob" }), "delivery.repeated");
    stage.refused(deliver("arena/a", {}), "delivery.repeated");
    assert.equal(stage.of("ann").wins, 2);
  });

  test("[LD12] of a partly new delivery, the new part counts", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(deliver("arena/a", { 4: "ann 1:0 bob" }));
    const events = stage.do(deliver("arena/a", { 4: "ann 1:0 bob", 5: "bob 1:0 ann", 8: "ann 0:0 bob" }));
    assert.deepEqual(
      only(events, "counted").map(({ origin }) => origin),
      ["arena/a#5", "arena/a#8"],
    );
    const { wins, draws, losses } = stage.of("ann");
    assert.deepEqual([wins, draws, losses], [1, 1, 1]);
  });

  test("[LD12] versions are tracked per stream", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(deliver("arena/a", { 9: "ann 1:0 bob" }));
    stage.do(deliver("arena/b", { 2: "ann 1:0 bob" }));
    stage.refused(deliver("arena/b", { 2: "ann 1:0 bob" }), "delivery.repeated");
    assert.deepEqual([...stage.ladder.sources], Object.entries({ "arena/a": 9, "arena/b": 2 }));
    assert.equal(stage.of("ann").games, 2);
  });

  test("[LD12] a player who left comes back by playing, with their old rating", () => {
    const stage = new LadderStage();
    stage.do(enrol("ann", "@op", 1300));
    stage.do(leave("ann"));
    const events = stage.do(deliver("arena/a", { 2: "bob 1:1 ann", 3: "ann 0:1 bob" }));
    assert.deepEqual(typesOf(events), ["enrolled", "returned", "counted", "counted", "received"]);
    assert.equal(only(events, "counted")[0].before[1], 1300);
  });

  test("[LD12] outbox items become the command, with their versions", () => {
    const body = { players: ["ann", "bob"], scores: [1, 0], names: ["Ann", "Bob"] };
    assert.deepEqual(ladderDecider.inbox!.receive("arena/a", [{ version: 6, body }]), {
      type: "deliver",
      from: "arena/a",
      deliveries: [
        { version: 6, players: [person("ann"), person("bob")], scores: [1, 0], names: ["Ann", "Bob"] },
      ],
    });
  });

  test("streams, players and matches are limited; known streams continue", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(deliver("arena/a", { 1: "ann 1:0 bob" }));
    for (let source = 1; source < ladderLimits.sourcesMax; source++)
      stage.ladder.sources.set(`arena/${source}`, 1);
    stage.refused(deliver("arena/new", { 1: "ann 1:0 bob" }), "ladder.exhausted");
    stage.do(deliver("arena/a", { 2: "ann 1:0 bob" }));
    // Pretend that two million players have enrolled; really enrolling them takes too long.
    Object.defineProperty(stage.ladder.players, "size", { get: () => ladderLimits.playersMax - 1 });
    const more = deliver("arena/a", { 3: "ann 1:0 cid", 4: "dan 1:0 ann" });
    const decision = ladderDecider.decide(stage.ladder, more, 1 as never);
    assert.equal("refusal" in decision && decision.refusal.code, "ladder.full");
    const known = ladderDecider.decide(stage.ladder, deliver("arena/a", { 3: "ann 1:0 bob" }), 1 as never);
    assert.ok("events" in known, "existing players need no room");
    Object.defineProperty(stage.ladder.statuses, "size", { get: () => ladderLimits.matchesMax });
    const other = ladderDecider.decide(stage.ladder, deliver("arena/a", { 3: "ann 1:0 bob" }), 1 as never);
    assert.equal("refusal" in other && other.refusal.code, "ladder.exhausted");
  });
});
