import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderDecider, ladderLimits } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { about, enrol, importing, importRow, LadderStage, leave, only, report } from "./stage.ts";

const { importChunkRows } = ladderLimits;
const rows = (many: number) =>
  Array.from({ length: many }, (_, row) => importRow(`p${row % 7} ${row % 3}:1 q${row % 11}`, 10 * row));

describe("importing past matches", () => {
  test("[LD2] begins at once, and counts the rows a moment later in the order of the file", () => {
    const stage = new LadderStage();
    const file = [importRow("ann 1:0 bob", 0), importRow("bob 2:2 cid"), importRow("cid 0:1 ann", 77)];
    assert.deepEqual(stage.do(importing("f1", file)), [{ type: "import-begun", digest: "f1", rows: file }]);
    assert.equal(stage.ladder.statuses.size, 0);
    assert.equal(ladderDecider.nextDue(stage.ladder), 1_001);
    stage.now = 1_001;
    const events = stage.wake();
    assert.deepEqual(typesOf(events), [
      "enrolled",
      "enrolled",
      "counted",
      "enrolled",
      "counted",
      "counted",
      "imported",
    ]);
    const counted = only(events, "counted");
    assert.deepEqual(
      counted.map(({ origin, playedAt, reporter }) => [origin, playedAt, reporter]),
      [
        ["import/f1#1", 0, "import"],
        ["import/f1#2", undefined, "import"],
        ["import/f1#3", 77, "import"],
      ],
    );
    assert.equal(stage.of("cid").name, "Imported cid");
    const expected = new LadderStage().enrol("ann", "bob", "cid");
    expected.play("ann 1:0 bob", "bob 2:2 cid", "cid 0:1 ann");
    for (const name of ["ann", "bob", "cid"]) assert.equal(stage.rating(name), expected.rating(name));
    assert.equal(ladderDecider.nextDue(stage.ladder), undefined);
    assert.deepEqual(stage.ladder.imports.get("f1"), { rows: 3, begunAt: 1_000, done: 3, at: 1_001 });
  });

  test("players keep their names and ratings; players who left stay away, but their matches count", () => {
    const stage = new LadderStage({ open: false });
    stage.do(enrol("ann", "@op", 1500));
    stage.do(enrol("bob", "@op", 1500));
    stage.do(leave("bob"));
    stage.do(importing("f1", [importRow("ann 1:1 bob"), importRow("bob 1:1 ann")]));
    stage.at(1_001);
    assert.equal(stage.of("ann").name, "The ann");
    assert.deepEqual(stage.table, ["1 ann"]);
    const { number, rating, draws } = stage.of("bob");
    assert.deepEqual([number, rating, draws], [2, 1500, 2]);
  });

  test("[LD5] a long one is counted in chunks, with other commands in between", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(importing("f1", rows(2 * importChunkRows + 1)));
    const progress = () => stage.ladder.imports.get("f1")?.done;
    assert.equal(progress(), 0);
    stage.at(1_001);
    assert.equal(progress(), importChunkRows);
    stage.play("ann 1:0 bob");
    assert.equal(stage.status(importChunkRows + 1), "counted");
    assert.equal(ladderDecider.nextDue(stage.ladder), 1_002);
    stage.at(1_002);
    assert.equal(progress(), 2 * importChunkRows);
    stage.at(5_000);
    assert.equal(progress(), 2 * importChunkRows + 1);
    assert.equal(stage.ladder.importing, undefined);
    assert.equal(stage.ladder.counting, 2 * importChunkRows + 2);
    const { origin } = only(
      stage.entries.flatMap(({ events }) => events),
      "counted",
    ).at(-1)!;
    assert.equal(origin, `import/f1#${2 * importChunkRows + 1}`);
  });

  test("[LD5] ratings are the same in chunks and by single reports", () => {
    for (const system of ["elo", "glicko2"] as const) {
      const file = rows(1_300);
      const stage = new LadderStage({ system });
      stage.do(importing("f1", file));
      for (let now = 1_001; stage.ladder.importing; now++) stage.at(now);
      const other = new LadderStage({ system });
      for (const { players, scores } of file) {
        for (const name of players) if (other.ladder.players.find(name) === undefined) other.enrol(name);
        other.play(`${players[0]} ${scores.join(":")} ${players[1]}`);
      }
      assert.deepEqual(stage.table, other.table);
      for (const { players } of file.slice(0, 77))
        for (const name of players) assert.equal(stage.rating(name), other.rating(name));
    }
  });

  test("the same file is the same import, while it runs and afterwards", () => {
    const stage = new LadderStage();
    stage.do(importing("f1", rows(importChunkRows + 1)));
    stage.at(1_001);
    const total = importChunkRows + 1;
    const running = { import: "f1", rows: total, done: importChunkRows };
    stage.refused(importing("f1", rows(2)), "import.exists", running);
    stage.at(1_002).refused(importing("f1", rows(2)), "import.exists", { ...running, done: total });
  });

  test("another file waits until the one before is done", () => {
    const stage = new LadderStage();
    stage.do(importing("f1", rows(3)));
    stage.refused(importing("f2", rows(3)), "import.running", { import: "f1" });
    stage.at(1_001).do(importing("f2", rows(3)));
    stage.at(1_002);
    assert.equal(stage.ladder.counting, 6);
  });

  test("a file without rows is done at once", () => {
    const stage = new LadderStage();
    stage.do(importing("f1", []));
    stage.at(1_001);
    assert.equal(stage.ladder.importing, undefined);
    assert.equal(ladderDecider.nextDue(stage.ladder), undefined);
  });

  test("only the ladder's creator, services and operators can import; this is checked first", () => {
    const stage = new LadderStage().enrol("ann");
    stage.do(importing("f1", rows(1), "@shop"));
    stage.refused(importing("f1", rows(1), "ann"), "auth.forbidden");
    stage.refused(importing("f2", rows(1), "ann"), "auth.forbidden");
    stage.at(1_001).do(importing("f2", rows(1), "@op"));
    stage.at(1_002).do(importing("f3", rows(1), "carol"));
  });

  test("imports, players and matches are limited", () => {
    const stage = new LadderStage();
    stage.ladder.imports.set("f1", { rows: 1, begunAt: 1 as never, done: 1, at: 1 as never });
    for (let file = 1; file < ladderLimits.importsMax; file++)
      stage.ladder.imports.set(`g${file}`, stage.ladder.imports.get("f1")!);
    stage.refused(importing("f2", rows(1)), "ladder.exhausted");
    const full = new LadderStage();
    // Pretend that two million players have enrolled; really enrolling them takes too long.
    Object.defineProperty(full.ladder.players, "size", { get: () => ladderLimits.playersMax - 3 });
    const decision = ladderDecider.decide(full.ladder, importing("f1", rows(2)), 1 as never);
    assert.equal("refusal" in decision && decision.refusal.code, "ladder.full");
    const worn = new LadderStage();
    Object.defineProperty(worn.ladder.statuses, "size", { get: () => ladderLimits.matchesMax - 1 });
    const other = ladderDecider.decide(worn.ladder, importing("f1", rows(2)), 1 as never);
    assert.equal("refusal" in other && other.refusal.code, "ladder.exhausted");
  });

  test("[LG5] saved between two chunks or replayed, it continues where it was", () => {
    const stage = new LadderStage({ confirm: true }).enrol("ann", "bob");
    stage.do(importing("f1", rows(importChunkRows + 50)));
    stage.at(1_001).do(report("ann 1:0 bob"));
    const saved = stage.saved;
    const others = [stage.restored, stage.replayed].map((ladder) => {
      const other = new LadderStage();
      other.ladder = ladder;
      return other;
    });
    const then = structuredClone(saved);
    for (const each of [stage, ...others]) {
      each.at(1_002).do(about("confirm", importChunkRows + 1, "bob"));
      each.at(30_000);
      assert.deepEqual(ladderDecider.snapshots.save(each.ladder), stage.saved);
    }
    assert.deepEqual(saved, then, "saved data changed although it may still be being written");
  });
});
