import assert from "node:assert/strict";
import { test } from "node:test";
import { ArenaLoad } from "../src/arenas/arena-load.ts";
import { bareDialect, openseatDialect } from "../src/arenas/dialects.ts";
import { Bare } from "../src/bare.ts";
import { Openseat, openseatProgram } from "../src/openseat-server.ts";

const runMs = 200;
const people = 4;
const timeout = 120_000;

test("the bare server sends every move to all of a room, in as many bytes as it is told", {
  timeout,
}, async () => {
  const bare = await Bare.startRooms();
  const load = new ArenaLoad(bare.address, bareDialect, ["one", "two"], people);
  try {
    await load.open();
    bare.setFrameBytes(700);
    await load.saturate(runMs);
    const { answered, latency, bytesEach } = await load.saturate(runMs);
    assert.ok(answered > 0);
    assert.equal(latency.total, answered);
    assert.equal(bytesEach, 700);
    assert.equal((await load.pace(100, runMs)).answered, 20);
  } finally {
    load.close();
    await bare.stop();
  }
});

test("people play in arenas of Openseat, match after match, and all see every move", {
  timeout,
}, async () => {
  const server = new Openseat(openseatProgram);
  let load: ArenaLoad | undefined;
  try {
    await server.start();
    const arenas = await server.createArenas(2);
    const tokens = Array.from({ length: 2 * people }, () => server.crowd.next().token);
    load = new ArenaLoad(server.address, openseatDialect({ arenas, tokens }), arenas, people);
    await load.open();
    const { entries } = await server.logCounters();
    // More moves than one match can have, each of them refused or seen by all.
    const { answered, bytesEach } = await load.pace(500, runMs);
    assert.equal(answered, 100);
    assert.equal((await server.logCounters()).entries - entries, 100);
    assert.ok(bytesEach > 500);
  } finally {
    load?.close();
    await server.remove();
  }
});
