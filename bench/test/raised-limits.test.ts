import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openseatProgram } from "../src/openseat-server.ts";
import { raisedLimits } from "../src/raised-limits.ts";

test("budgets are raised by all settings that the measured server has, and by no others", () => {
  assert.equal(Object.keys(raisedLimits(openseatProgram)).length, 8);
  const folder = mkdtempSync(join(tmpdir(), "openseat-older-"));
  const older = join(folder, "main.ts");
  writeFileSync(older, 'console.log("--guests-per-address-max OPENSEAT_GUESTS_PER_ADDRESS_MAX");');
  assert.deepEqual(raisedLimits(older), { OPENSEAT_GUESTS_PER_ADDRESS_MAX: "1000000" });
  rmSync(folder, { recursive: true });
});
