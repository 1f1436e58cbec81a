import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignCpuMs, type ProcessStat, parseProcessStat } from "../src/flood/measuring/disturbance.ts";

function process(pid: number, parent: number, cpuMs: number, isKernelThread = false): ProcessStat {
  return { pid, parent, cpuMs, isKernelThread };
}

test("only processes outside the run disturb it: not the bench, its children and theirs, nor the kernel", () => {
  const bench = [process(10, 1, 1_000), process(11, 10, 5_000), process(12, 11, 7_000)];
  const kernel = [process(2, 0, 3_000, true), process(3, 2, 9_000, true)];
  const others = [process(1, 0, 20), process(20, 1, 300), process(21, 20, 4)];
  assert.equal(foreignCpuMs([...bench, ...kernel, ...others], 10), 324);
});

test("a process is read from its line, whatever its name", () => {
  const fields = "S 41 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0";
  assert.deepEqual(parseProcessStat(`43 (a) b (c)) ${fields}`), process(43, 41, 1_240));
  const kernelThread = fields.replace("4194560", String(0x0020_8040));
  assert.equal(parseProcessStat(`43 (ksoftirqd/0) ${kernelThread}`).isKernelThread, true);
});
