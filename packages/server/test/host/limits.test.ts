import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GameRoom, PersonId, Refusal } from "@openseat/kernel";
import { answered } from "../support/test-clock.ts";
import { codeOf, entriesOf, entryOf, type RoomOutcome, Stage } from "./stage.ts";

const tooMany: Refusal = { code: "limit.address", message: "Too many.", retryable: true };

describe("limits that depend on the state", () => {
  test("[LM3] they are checked only for commands that would change something, and a refusal changes nothing", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 3 });
    const seen: (number | undefined)[] = [];
    const join = (name: string, key?: string): Promise<RoomOutcome> =>
      stage.games.ask("g", {
        command: { type: "join", person: name as PersonId },
        ...{ by: name, key },
        limit: (room: GameRoom) => {
          seen.push(room.seated);
          return seen.length > 2 ? tooMany : undefined;
        },
      });
    entryOf(await answered(join("ann", "k1")));
    entryOf(await answered(join("ben")));
    assert.equal(codeOf(await answered(join("ben"))), "place.exists");
    const again = await answered(join("ann", "k1"));
    assert.ok("replayed" in again && again.replayed);
    assert.deepEqual(seen, [0, 1]);
    assert.equal(codeOf(await answered(join("cleo"))), "limit.address");
    assert.equal((await entriesOf(stage.log, "game/g")).length, 3);
    entryOf(await answered(stage.join("g", "dan")));
    await stage.stop();
  });
});
