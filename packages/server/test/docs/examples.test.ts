import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Hall } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import type { Json } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

/** The values of the document's path parameters. */
const pathValues: Readonly<Record<string, string>> = {
  match: "3",
  player: "ann",
  opponent: "bob",
  import: "5f0c1e7a92b84d36a1f0e8c4b7d25963",
  nickname: "Ann",
  number: "1",
  userId: "cleo",
};
const ids: Readonly<Record<string, string>> = { arenas: "tic-tac-toe", duels: "1", conversations: "me" };

describe("the examples of the API reference", () => {
  const { server } = serverOfSuite();
  let operations: { method: string; path: string; group: string; operation: Json }[];

  const keys: Readonly<Record<string, () => string>> = {
    operator: () => server.operatorKey,
    service: () => server.serviceKey,
  };

  before(async () => {
    // As on a server with a new data folder.
    await new Desk(server).newQueue({ id: "demo" });
    await new Hall(server).newArena({ id: "tic-tac-toe" });
    const ladder = { id: "demo", title: "The house ladder" };
    await server.client.post("/api/v1/ladders", { token: server.operatorKey, body: ladder });
    const { paths } = (await server.client.get("/openapi.json")).body;
    operations = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => {
        const group = path.split("/")[3];
        const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
          name === "id" ? (ids[group] ?? "demo") : pathValues[name],
        );
        return { method: method.toUpperCase(), path: filled, group, operation };
      }),
    );
  });

  for (const [kind, count] of [
    ["arenas", 12],
    ["ladders", 25],
    ["queues", 9],
    ["people", 4],
    ["nicknames", 1],
    ["duels", 5],
    ["chat", 7],
    ["conversations", 1],
  ] as const)
    test(`every example for ${kind} is valid: none is refused as bad input`, async () => {
      const shown = operations.filter(({ group, path }) => group === kind && !path.endsWith("/events"));
      assert.equal(shown.length, count);
      // An ended room would refuse the other examples.
      const ends = ({ path }: (typeof shown)[number]) => Number(path.endsWith("/end"));
      for (const { method, path, operation } of shown.toSorted((a, b) => ends(a) - ends(b))) {
        const { description, requestBody, parameters = [] } = operation;
        const roles = ["operator", "service"].filter((role) => description.includes(`**${role}**`));
        // The rooms of a new data folder belong to the server: operators manage them.
        const isForPersons = description.includes("**person**") && !/arenas|ladders/.test(kind);
        const token = isForPersons || roles.length === 0 ? tokenOf("maker") : keys[roles[0]]();
        const example = requestBody?.content["application/json"]?.example;
        const query = parameters.some(({ $ref }: Json) => $ref?.endsWith("/Search")) ? "?search=An" : "";
        const asked = path.endsWith("/export") ? `${path}?what=standings&format=csv` : path + query;
        const answer = await server.client.call(asked, {
          method,
          token,
          key: method === "POST" ? `${path}-1` : undefined,
          body: example,
        });
        assert.doesNotMatch(
          String(answer.body?.code),
          /^(input|route|room|game|option|seats|auth|ladder)\.|^import\.invalid/,
          `${method} ${asked} ${JSON.stringify(example)}\n${answer.status} ${answer.text}`,
        );
      }
    });

  test("every live message is valid", async () => {
    const { body } = await server.client.get("/asyncapi.json");
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    const examples = Object.values<Json>(body.channels.live.messages).flatMap(
      ({ examples = [] }) => examples,
    );
    for (const { payload } of examples) {
      if (payload.type === "auth") continue;
      const { id: _, ...message } = payload;
      const answer = await live.ask(message);
      assert.doesNotMatch(
        String(answer.body.code),
        /^input\./,
        `${JSON.stringify(message)} ${JSON.stringify(answer)}`,
      );
    }
    live.close();
  });
});
