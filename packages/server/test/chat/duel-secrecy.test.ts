import assert from "node:assert/strict";
import { test } from "node:test";
import { EventClient, LiveClient } from "../live/clients.ts";
import { type Json, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, Talk } from "./chat-talk.ts";

const hands = ["rock", "scissors"] as const;

/** The values of path parameters. */
const parts: Readonly<Record<string, string>> = {
  nickname: "ann",
  player: "ann",
  opponent: "bob",
  match: "1",
  number: "1",
};

/** Every readable address: of the ladder, of the duel, and unknown ones. */
async function addresses({ client }: TestServer): Promise<Set<string>> {
  const { paths } = (await client.get("/openapi.json")).body;
  const found = new Set<string>();
  for (const [template, methods] of Object.entries<Json>(paths)) {
    // Streams do not end, conversations are read separately, and other paths are about the server.
    if (!methods.get || !template.startsWith("/api/") || /\/(events|live)$|conversations/.test(template))
      continue;
    const query = template.endsWith("/export") ? "?what=matches&format=csv" : "";
    for (const id of ["chat", "1"])
      found.add(
        template.replace(/\{(\w+)\}/g, (_, name) => (name === "id" ? id : (parts[name] ?? "1"))) + query,
      );
  }
  return found;
}

/** What everyone except the thrower sees. */
async function sweep(server: TestServer): Promise<string[]> {
  const shown: string[] = [];
  for (const path of await addresses(server))
    for (const token of [undefined, tokenOf("bob"), tokenOf("cat"), server.operatorKey])
      shown.push(`${path} ${(await server.client.get(path, { token })).text}`);
  assert.ok(
    shown.some((text) => text.startsWith("/api/v1/duels/1 ") && text.includes('"hasOpponentThrown":true')),
  );
  return shown;
}

/** The lines that a person got, once there are this many; two streams may deliver them in either order. */
function linesIn(feed: () => readonly Json[], count: number): Promise<string[]> {
  return until(`${count} lines`, () => {
    const lines = feed().flatMap(({ lines = [] }) => lines.map(({ by, text }: Json) => `${by}: ${text}`));
    return lines.length >= count && lines.sort();
  });
}

/** Ann throws, and everyone reads before bob throws: what they see, without times. */
async function seenWhen(hand: string, way: "chat" | "api"): Promise<string> {
  const server = await startServer();
  const open: { close(): void }[] = [];
  try {
    const talk = new Talk(server);
    for (const person of ["ann", "bob", "cat"]) {
      await talk.takeName(person, person);
      await talk.say(person, "register", "register");
      await talk.lines(person, /You are on the ladder/);
    }
    const live = await LiveClient.open(server.url, { token: tokenOf("bob") });
    open.push(live);
    for (const room of [{ conversation: "me" }, { ladder: "chat" }])
      assert.equal((await live.ask({ type: "watch", ...room })).status, 200);
    const events = await EventClient.open(server.url, "me", { kind: "conversation", token: tokenOf("cat") });
    open.push(events);
    // Otherwise a view could come late and contain what others get as a change.
    await until("all views", () => live.feed.length === 2 && events.feed.length === 1);
    if (way === "chat") await talk.say("ann", `throw ${hand} @bob rated`, "throw");
    else await good(talk.duel("ann", "bob", { throw: hand, ladder: "chat" }));
    await talk.lines("bob", /challenges you/);
    const asked = ["games", "history @ann", "rating @ann", "top", "throw"];
    for (const person of ["bob", "cat"])
      for (const text of asked) await talk.say(person, text, text.replaceAll(" ", "-"));
    const told = await Promise.all([
      linesIn(() => live.feed, 3 + 2 * asked.length),
      linesIn(() => events.feed, 2 + 2 * asked.length),
    ]);
    const ladder = live.feed
      .filter((message) => "ladder" in message)
      .map((message) => JSON.stringify(message));
    const seen = [...(await sweep(server)), ...told.flat(), ...ladder];
    return seen.join("\n").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)");
  } finally {
    for (const client of open) client.close();
    await server.stop();
  }
}

for (const way of ["chat", "api"] as const) {
  test(`[MT3] [CH4] a first throw by ${way === "chat" ? "chat" : "the API"} is secret: everyone else is shown the same, whatever it was`, async () => {
    const [first, ...others] = await Promise.all(hands.map((hand) => seenWhen(hand, way)));
    for (const seen of others) assert.equal(seen, first);
    assert.ok(first.length > 5_000);
  });
}
