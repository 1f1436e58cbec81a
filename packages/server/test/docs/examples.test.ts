import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { clientMessages } from "@openseat/protocol";
import type { ApiDocument, Schema } from "../../src/transport/http/docs/api-document.ts";
import { curlFor, exampleOf, originMark } from "../../src/transport/http/docs/examples.ts";
import { type Operation, operationsOf } from "../../src/transport/http/docs/operations.ts";
import { Hall } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

describe("the examples of /docs", () => {
  const { server } = serverOfSuite();
  let operations: Operation[];

  before(async () => {
    // What a server with a new data folder has.
    await new Desk(server).newQueue({ id: "demo" });
    await new Hall(server).newArena({ id: "tic-tac-toe" });
    const ladder = { id: "demo", title: "The house ladder" };
    await server.client.post("/api/v1/ladders", { token: server.operatorKey, body: ladder });
    const document = (await server.client.get("/openapi.json")).body as ApiDocument;
    operations = operationsOf(document).filter(({ group }) => group !== "server");
  });

  /** What curl would send. */
  function requestOf(curl: string): {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
  } {
    const [, path] = new RegExp(`${originMark}([^\\s"]+)`).exec(curl)!;
    const headers = [...curl.matchAll(/-H "([^:]+): ([^"]*)"/g)].map(([, name, value]) => [name, value]);
    const body = /-d '([^']*)'/.exec(curl)?.[1];
    return {
      method: /-X (\w+)/.exec(curl)?.[1] ?? "GET",
      path,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
    };
  }

  function tokenFor(access: Operation["access"]): string {
    if (access === "public" || access?.includes("person")) return tokenOf("maker");
    return access?.includes("service") ? server.serviceKey : server.operatorKey;
  }

  for (const [kind, count] of [
    ["arenas", 12],
    ["ladders", 25],
    ["people", 5],
    ["duels", 5],
    ["chat", 7],
    ["conversations", 1],
  ] as const) {
    test(`every one of ${kind} is a request that fits: nothing in it is refused as bad input`, async () => {
      const shown = operations.filter(({ group, path }) => group === kind && !path.endsWith("/events"));
      assert.equal(shown.length, count);
      // Once it has ended, a room refuses what the others ask of it.
      const ends = ({ path }: (typeof shown)[number]) => Number(path.endsWith("/end"));
      for (const operation of shown.toSorted((a, b) => ends(a) - ends(b))) {
        const { method, path, headers, body } = requestOf(curlFor(operation));
        assert.doesNotMatch(path, /[{}]/);
        const { access } = operation;
        // The rooms of a new data folder are the server's own: operators manage them.
        const isManaged = kind === "arenas" || kind === "ladders";
        const token = isManaged && access?.includes("operator") ? server.operatorKey : tokenFor(access);
        delete headers.Authorization;
        const answer = await server.client.call(path, {
          method,
          token,
          headers,
          ...(body !== undefined && { rawBody: body }),
        });
        const about = `${curlFor(operation)}\n${answer.status} ${answer.text}`;
        assert.doesNotMatch(
          String(answer.body?.code),
          /^(input|route|room|game|option|seats|auth|ladder)\.|^import\.invalid/,
          about,
        );
      }
    });
  }

  test("every live message is one that fits", async () => {
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    for (const [type, schema] of Object.entries(clientMessages)) {
      if (type === "auth") continue;
      const { id: _, ...example } = exampleOf(schema as unknown as Schema);
      const answer = await live.ask(example);
      assert.doesNotMatch(
        String(answer.body.code),
        /^input\./,
        `${JSON.stringify(example)} ${JSON.stringify(answer.body)}`,
      );
    }
    live.close();
  });
});
