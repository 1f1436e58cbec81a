import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hall, quickWin } from "../arenas/hall.ts";
import { newSid, type TwilioStandIn } from "../chat/twilio-stand-in.ts";
import { Club } from "../ladders/club.ts";
import { Desk } from "../queues/desk.ts";
import { type Answer, type Call, type Client, range, until } from "../support/http.ts";
import type { TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

const [ann, bob] = ["+14155550101", "+447700900102"];

interface Town {
  readonly twilio: TwilioStandIn;
  /** Sends a request and records its answer. */
  readonly ask: (path: string, call?: Call) => Promise<Answer>;
}

interface Keys {
  readonly operatorKey: string;
  readonly serviceKey: string;
}

/** Creates rooms of every kind with content, chat messages and dead letters; then records queries about all of it. */
export async function live(client: Client, folder: string, town: Town): Promise<void> {
  const keys: Keys = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8"));
  await messages(client, keys, town);
  const rooms = [
    ...(await games(client, town)),
    ...(await ladderAndArena(client, keys)),
    ...(await queues(client, keys, town)),
  ];
  for (const path of rooms) await town.ask(path);
  const { body } = await town.ask("/api/v1/games?limit=1");
  await town.ask(`/api/v1/games?limit=1&cursor=${body.data.nextCursor}`);
  await town.ask("/api/v1/people/called/ann");
  await town.ask("/api/v1/ladders/chat/matches");
  await town.ask(deadLetters, { token: keys.operatorKey });
  await town.ask("/.well-known/jwks.json");
}

/** Sends a request twice with the same key and records the second answer. */
async function keyed(client: Client, town: Town, path: string, token: string): Promise<void> {
  const call = { method: "POST", token, key: `key of ${path} ${token.slice(-20)}` };
  assert.ok((await client.call(path, call)).status < 300);
  const again = await town.ask(path, call);
  assert.equal(again.headers["idempotent-replayed"], "true");
}

async function games(client: Client, town: Town): Promise<string[]> {
  const game = await client.newGame({ title: "Böse \\ 'Überraschung' \u{1f3b2}", maxPlayers: 20 });
  const join = `/api/v1/games/${game}/join`;
  await Promise.all(range(6).map((person) => keyed(client, town, join, tokenOf(`p${person}`))));
  await keyed(client, town, `/api/v1/games/${game}/leave`, tokenOf("p1"));
  const guest = (await client.post("/api/v1/guests", { body: { name: "Kim" } })).body.data.token;
  await keyed(client, town, join, guest);
  await client.end(await client.newGame());
  return ["/api/v1/games/snapped", `/api/v1/games/${game}`, `/api/v1/games/${game}/participants`];
}

async function ladderAndArena(client: Client, keys: Keys): Promise<string[]> {
  const club = new Club({ client, ...keys });
  const ladder = await club.newLadder(["ann", "bob", "cat"], { system: "glicko2", confirm: true });
  const first = await club.counted(ladder, ["ann", "bob"]);
  for (const _ of range(3)) await club.counted(ladder, ["cat", "ann"], [2, 2]);
  await club.reported(ladder, ["bob", "cat"]);
  await club.void(ladder, first);
  await club.remove(ladder, "bob");
  await club.imported(ladder, "playerA,playerB,scoreA,scoreB\nann,fay,3,1\nfay,cat,0,2\n");
  const hall = new Hall({ client, ...keys });
  const { id: arena } = await hall.playing(["ann", "dan", "eve"], { ladder });
  await hall.play(arena, quickWin);
  await until("the result at the ladder", async () => (await club.matches(ladder)).length === 8);
  const of = (rest: string) => `/api/v1/ladders/${ladder}${rest}`;
  return [
    ...[
      of(""),
      of("/standings"),
      of("/matches?limit=3"),
      of("/matches?status=pending"),
      of("/players/ann/history"),
    ],
    ...[of("/export?what=matches&format=csv"), `/api/v1/arenas/${arena}/matches`],
  ];
}

async function queues(client: Client, keys: Keys, town: Town): Promise<string[]> {
  const desk = new Desk({ client, ...keys } as TestServer);
  const { queue } = await desk.fullQueue({ title: "The shop" });
  for (const person of range(4))
    await keyed(client, town, `/api/v1/queues/${queue}/positions`, tokenOf(`p${person}`));
  const { id } = (await desk.enter(queue, "p2")).body.data.position;
  await town.ask(`/api/v1/positions/${id}`, { token: tokenOf("p2") });
  const other = await desk.newQueue();
  const admitted = await desk.entered(other, "p1");
  await desk.claimed(admitted.token, "p1");
  await town.ask("/api/v1/sessions", {
    method: "POST",
    token: tokenOf("p1"),
    body: { token: admitted.token },
  });
  await town.ask(`/api/v1/queues/${other}/positions`, { method: "POST", token: tokenOf("p1") });
  return [`/api/v1/queues/${queue}`, `/api/v1/queues/${other}`];
}

const deadLetters = "/api/v1/chat/dead-letters";

/** Two people with phones: one message arrives, one becomes a dead letter, and one is under way when the server stops. */
async function messages(client: Client, { operatorKey }: Keys, { twilio }: Town): Promise<void> {
  const say = async (phone: string, text: string) => {
    const answer = await twilio.deliver(phone, text, { sid: newSid() });
    assert.equal(answer.status, 200, answer.raw);
  };
  for (const phone of [ann, bob]) await say(phone, phone === ann ? "nick Ann" : "nick Bob");
  for (const phone of [ann, bob]) await say(phone, "register");
  await say(ann, "match @ann @bob 3-1");
  await say(ann, "throw rock @bob");
  await until("the challenge", () => twilio.sentTo(bob).length > 0);
  twilio.stopped.add(ann);
  await say(bob, "throw paper @ann");
  await until("the dead letter", async () => {
    const { body } = await client.get(deadLetters, { token: operatorKey });
    return body.data.deadLetters.length > 0;
  });
  twilio.stopped.clear();
  twilio.faults.push(...range(100).map(() => ({ status: 500 })));
  await say(bob, "throw rock @ann");
  await until("the failure", () => twilio.faults.length < 100);
}
