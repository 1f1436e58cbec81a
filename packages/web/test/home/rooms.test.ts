import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleOf } from "../../src/home/example.ts";
import { arenaWords, gameWords, ladderWords, queueWords } from "../../src/home/rooms.ts";
import { playing } from "../arena/stage.ts";
import { ladder } from "../ladder/stage.ts";

test("the example uses this server's address", () => {
  assert.match(exampleOf("http://there:1"), /curl http:\/\/there:1\/api\/v1\/arenas/);
});

test("cards of the home page show the state of a room and an action", () => {
  const players = playing.players.map(({ label, person, streak }) => ({ label, name: person.name, streak }));
  assert.equal(arenaWords({ players: [], seats: 2, waiting: 0 }).way, "Take a seat");
  assert.equal(arenaWords({ players: players.slice(1), seats: 2, waiting: 0 }).line, "A seat is free.");
  assert.equal(arenaWords({ players, seats: 2, waiting: 4 }).line, "4 in the line.");
  const game = { status: "OPEN", currentPlayers: 3, maxPlayers: 10, waitlist: true, waiting: 0 } as const;
  assert.deepEqual(gameWords(game), { line: "3 of 10 seats taken.", way: "Join" });
  assert.equal(gameWords({ ...game, status: "FULL", waiting: 2 }).way, "Wait in line");
  assert.equal(gameWords({ ...game, status: "FULL", waitlist: false }).way, "View");
  assert.equal(queueWords({ status: "OPEN", waiting: 3, active: 9 }).line, "9 inside, 3 in the line.");
  assert.match(queueWords({ status: "PAUSED", waiting: 0, active: 9 }).line, /^Paused\./);
});

test("the card of a ladder says how many play on it", () => {
  const { pending: _, ...summary } = ladder;
  const leader = { name: "Ann", rating: 1_026.6 };
  assert.equal(ladderWords({ ...summary, leader }).line, "30 players, 4 matches.");
  assert.equal(ladderWords({ ...summary, players: 0, leader: null }).line, "Nobody here yet.");
});
