import assert from "node:assert/strict";
import { test } from "node:test";
import { exportAddress, ladderPlayerAddress, routeOf } from "../../src/ui/route.ts";

test("known addresses lead to pages, others do not", () => {
  assert.deepEqual(routeOf("/"), { page: "home" });
  assert.deepEqual(routeOf("/games/g1"), { page: "game", game: "g1" });
  assert.deepEqual(routeOf("/arenas/ttt/"), { page: "arena", arena: "ttt" });
  assert.deepEqual(routeOf("/arenas/ttt/matches/12"), { page: "replay", arena: "ttt", match: "12" });
  assert.deepEqual([routeOf("/chat"), routeOf("/duels/")], [{ page: "chat" }, { page: "duels" }]);
  for (const path of [
    "/chat/1",
    "/duels/1",
    "/games",
    "/arenas/ttt/matches",
    "/arenas/ttt/other/1",
    "/x",
    "/games/a/b",
  ])
    assert.deepEqual(routeOf(path), { page: "nowhere" }, path);
});

test("addresses of ladders and players, with any characters in the ids", () => {
  assert.deepEqual(routeOf("/ladders/tennis"), { page: "ladder", ladder: "tennis" });
  const player = "ann@x.org/1?ü";
  const path = new URL(ladderPlayerAddress("tennis", player), "http://x").pathname;
  assert.deepEqual(routeOf(path), { page: "ladder-player", ladder: "tennis", player });
  for (const nowhere of ["/ladders", "/ladders/a/players", "/ladders/a/players/%E0%A4%A", "/ladders/a/b/c"])
    assert.deepEqual(routeOf(nowhere), { page: "nowhere" }, nowhere);
  assert.equal(
    exportAddress("tennis", "history", "csv", "a&b"),
    "/api/v1/ladders/tennis/export?what=history&format=csv&player=a%26b",
  );
});
