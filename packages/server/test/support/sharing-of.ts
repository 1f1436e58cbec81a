import assert from "node:assert/strict";
import type { Log } from "../../src/log/log.ts";
import type { Sharing } from "../../src/log/sharing.ts";

/** The `Sharing` of this log. */
export function sharingOf(log: Log): Sharing {
  return log.join({
    owner: () => assert.fail("one process has this log for itself"),
    node: (sharing) => sharing,
  });
}
