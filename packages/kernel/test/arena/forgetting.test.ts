import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { arenaDecider, arenaLimits, defaultLanes, placeIn } from "@openseat/kernel";
import { person } from "../room-stage.ts";
import { ArenaStage, join } from "./stage.ts";

const { save } = arenaDecider.snapshots;

/** The size in bytes of everything an arena remembers. */
function bytesOf({ room }: ArenaStage): number {
  const { head, columns } = save(room);
  const sizes = Object.values(columns).map((column) => column.byteLength);
  return JSON.stringify(head).length + sizes.reduce((sum, size) => sum + size, 0) + room.line.bytes;
}

describe("an arena that is open for years", () => {
  test("[LG5] 20,000 matches: what is remembered stays bounded, and everybody has their place", () => {
    const stage = new ArenaStage({ maxWins: 3 }).join("ann", "bob", "cid", "dan", "eve");
    stage.keepsLog = false;
    let [mostRows, mostBytes] = [0, 0];
    for (let match = 1; match <= 20_000; match++) {
      stage.now += 100;
      stage.report(match % 7 === 0 ? null : "X");
      mostRows = Math.max(mostRows, stage.room.roster.remembered);
      if (match % 500 === 0) mostBytes = Math.max(mostBytes, bytesOf(stage));
    }
    const { room } = stage;
    assert.equal(room.matches, 20_001);
    assert.ok(room.roster.tickets > 20_000);
    assert.equal(room.entrants.size, 5);
    assert.ok(mostRows <= arenaLimits.overKeptMax + 5 + 2, `${mostRows} places are remembered`);
    assert.ok(mostBytes < 200_000, `${mostBytes} bytes are remembered`);
    for (const name of ["ann", "bob", "cid", "dan", "eve"]) assert.ok(placeIn(room, person(name)), name);
    assert.equal(room.last!.ended.number, 20_000);
  });

  test("[LG5] 20,000 different people who came and left are not remembered forever", () => {
    const stage = new ArenaStage({ lanes: defaultLanes, patienceMs: 500 }).join("ann", "bob", "cid");
    stage.keepsLog = false;
    let mostBytes = 0;
    for (let number = 1; number <= 20_000; number++) {
      stage.now += 10;
      stage.do(join(`stranger-${number}`, number % 4));
      stage.do({ type: "leave", person: person(`stranger-${number}`) });
      if (number % 500 === 0) mostBytes = Math.max(mostBytes, bytesOf(stage));
    }
    assert.equal(stage.scene, "X ann, O bob | cid");
    assert.ok(stage.room.roster.remembered <= arenaLimits.overKeptMax + 4);
    assert.ok(mostBytes < 400_000, `${mostBytes} bytes are remembered`);
  });

  test("[LG5] with thousands in the line, no more places that are over are remembered than live ones", () => {
    const stage = new ArenaStage({ lineLengthMax: 10_000 });
    stage.keepsLog = false;
    for (let number = 0; number < 6_000; number++) stage.join(`p${number}`);
    for (let match = 0; match < 15_000; match++) {
      stage.report("X");
      assert.ok(stage.room.roster.remembered <= 2 * 6_000 + 2);
    }
    assert.equal(stage.room.line.length, 5_998);
    assert.equal(stage.placeOf("p0").label, "X");
    // 15,000 challengers have played at the other seat; p1 was the first.
    assert.equal(stage.placeOf(`p${1 + (15_000 % 5_999)}`).label, "O");
  });

  test("[LG5] restored and replayed arenas forget the same places", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    for (let match = 0; match < arenaLimits.overKeptMax + 100; match++) stage.report("O");
    assert.ok(stage.room.roster.remembered < stage.room.roster.tickets, "some are forgotten");
    const restored = stage.restored;
    assert.deepEqual(save(restored), stage.saved);
    assert.deepEqual(save(stage.replayed), stage.saved);
  });
});
