import assert from "node:assert/strict";
import { test } from "node:test";
import { OptionError, parseOptions } from "../src/options.ts";

test("without flags everything is measured, in at least seven pairs", () => {
  const options = parseOptions([]);
  assert.ok(options !== "help");
  assert.equal(options.only.size, 18);
  assert.equal(options.pairs, 7);
  assert.equal(options.participants, 1_000_000);
  assert.equal(options.waiting, 1_000_000);
});

test("flags win over --quick", () => {
  const options = parseOptions(["--quick", "--pairs", "9", "--only", "hot,ws"]);
  assert.ok(options !== "help");
  assert.equal(options.pairs, 9);
  assert.equal(options.participants, 100_000);
  assert.deepEqual([...options.only], ["hot", "ws"]);
});

test("--before compares only what two versions both have", () => {
  const options = parseOptions(["--before", "main.ts"]);
  assert.ok(options !== "help");
  assert.deepEqual([...options.only], ["hot", "many", "can-join", "ws", "enter", "position", "heartbeat"]);
  assert.throws(() => parseOptions(["--before", "main.ts", "--only", "chat"]), OptionError);
});

test("--help asks for nothing else", () => {
  assert.equal(parseOptions(["--help", "--pairs", "none"]), "help");
});

test("bad flags are refused with a sentence", () => {
  const refused = (...args: string[]) => assert.throws(() => parseOptions(args), OptionError);
  refused("--slow");
  refused("--pairs");
  refused("--pairs", "0");
  refused("--pairs", "1e1");
  refused("--slice-ms", "99999");
  refused("--connections", "-1");
  refused("--waiting", "1");
  refused("--only", "hot,cold");
  refused("--only", "");
  refused("hot");
});
