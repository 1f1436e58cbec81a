import assert from "node:assert/strict";
import { test } from "node:test";
import { playersFrom, Reports } from "../src/ladders/reports.ts";
import { Crowd } from "../src/persons.ts";
import { RequestBook } from "../src/request-book.ts";

test("every report is of two different players, by one of them, under a key of its own", () => {
  const crowd = new Crowd("00ff");
  const players = playersFrom(crowd, 3);
  const book = new RequestBook();
  const reports = new Reports("hot", players, crowd.keyStart);
  reports.addTo(book, 100);
  reports.addTo(book, 100);
  const keys = new Set<string>();
  const pairs = new Set<string>();
  for (let request = 0; request < book.count; request++) {
    const [head, body] = book.bytesOf(request).toString("latin1").split("\r\n\r\n");
    const header = (name: string) => new RegExp(`\r\n${name}: (.*)`).exec(head)?.[1];
    assert.match(head, /^POST \/api\/v1\/ladders\/hot\/matches HTTP\/1\.1\r\n/);
    assert.equal(header("Content-Length"), String(body.length));
    const { players: names, scores } = JSON.parse(body);
    const [first, second] = names.map((name: string) => players.find((player) => player.name === name));
    assert.ok(first !== undefined && second !== undefined && first !== second);
    assert.equal(header("Authorization"), `Bearer ${first.token}`);
    assert.ok(scores.length === 2 && scores.every((score: number) => Number.isInteger(score) && score >= 0));
    keys.add(header("Idempotency-Key")!);
    pairs.add(names.join(" "));
  }
  assert.equal(keys.size, 200);
  assert.equal(pairs.size, 6);
});
