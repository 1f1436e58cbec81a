import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LadderCommand, ladderDecider } from "@openseat/kernel";
import { about, configure, createLadder, enrol, importing, importRow, leave, report } from "./stage.ts";

const { fingerprint } = ladderDecider.keys;

describe("two commands are the same request", () => {
  test("[ID2][LD1] exactly when they have the same content: each of these differs", () => {
    const different: LadderCommand[] = [
      ...[{}, { title: "Another" }, { start: 1001 }, { k: [{ from: 0, k: 31 }] }, { confirm: true }].map(
        createLadder,
      ),
      ...[{ open: true }, { open: false }, { confirm: true }, { open: true, confirm: true }].map((changes) =>
        configure(changes),
      ),
      ...[
        enrol("ann"),
        enrol("bob"),
        enrol("ann", "@op", 0),
        enrol("ann", "@op", 1000),
        enrol("ann", "ann", 1000),
      ],
      { ...enrol("ann", "@op"), name: "Ann Other" } as LadderCommand,
      ...[leave("ann"), leave("bob")],
      ...["1:0", "0:1", "1:1", "10:1", "11:1", "1:11"].map((scores) => report(`ann ${scores} bob`)),
      ...[report("bob 1:0 ann"), report("ann 1:0 cid")],
      ...[
        about("confirm", 1, "ann"),
        about("decline", 1, "ann"),
        about("void", 1, "ann"),
        about("void", 11, "ann"),
      ],
      ...[importing("f1", []), importing("f2", [])],
    ];
    const texts = different.map((command) => fingerprint(command));
    assert.equal(new Set(texts).size, different.length);
  });

  test("[ID2][LD1] regardless of the asker and their present name", () => {
    const same: [LadderCommand, LadderCommand][] = [
      [report("ann 1:0 bob", "ann"), report("ann 1:0 bob", "@op")],
      [enrol("ann"), { ...enrol("ann"), name: "Ann Other" } as LadderCommand],
      [leave("ann"), leave("ann", "carol")],
      [about("void", 3, "ann"), about("void", 3, "@op")],
      [importing("f1", [importRow("ann 1:0 bob")]), importing("f1", [])],
    ];
    for (const [one, other] of same) assert.equal(fingerprint(one), fingerprint(other));
  });

  test("[LD1] the keys of a ladder are kept forever", () => {
    assert.equal(ladderDecider.keys.areKept, true);
  });
});
