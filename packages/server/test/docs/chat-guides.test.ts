import assert from "node:assert/strict";
import { dirname } from "node:path";
import { understand } from "@openseat/kernel";
import { TelegramStandIn } from "../chat/telegram-stand-in.ts";
import { missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const { after, before, describe, test } = testsNeeding(missingCurl);
const chatGuide = readRepoFile("docs/guides/chat.md");
const duelGuide = readRepoFile("docs/guides/duels.md");
/** A group, and a person who has blocked the bot: what the guide's operators find. */
const [group, member, blocker] = [-1_001, 501, 502];

describe("the guides to chat and duels", { skip: skipOnPostgres }, () => {
  let server: TestServer;
  let telegram: TelegramStandIn;
  let printed: string;
  let dueled: string;

  before(async () => {
    telegram = await TelegramStandIn.start();
    server = await startServer(["--telegram-token", telegram.token, "--telegram-api", telegram.url]);
    telegram.blocked.add(blocker);
    telegram.say(group, member, "/top");
    telegram.say(blocker, blocker, "nick Blocker");
    await until("what operators see", async () => {
      const [groups, letters] = await Promise.all([operators("groups"), operators("dead-letters")]);
      return groups.groups.length === 1 && letters.deadLetters.length === 1;
    });
    // The guide's commands read the keys from the data folder.
    const folder = dirname(server.folder);
    printed = await runCommandsOf(chatGuide, server.url, folder);
    dueled = await runCommandsOf(duelGuide, server.url, folder);
  });
  after(async () => {
    await server?.stop();
    await telegram?.stop();
  });

  async function operators(what: string): Promise<Json> {
    return (await server.client.get(`/api/v1/chat/${what}`, { token: server.operatorKey })).body.data;
  }

  test("no command in them is refused", () => {
    for (const output of [printed, dueled]) assert.doesNotMatch(output, /"success":false/);
  });

  test("[CH5] messages get the replies that the guide shows", () => {
    const replies = [...printed.matchAll(/"reply":("(?:[^"\\]|\\.)*")/g)].map(([, json]) => JSON.parse(json));
    const promised = [...chatGuide.matchAll(/^say .*?# (?!case)(.*)$/gm)].map(([, reply]) => reply);
    assert.ok(promised.length >= 5, "the guide shows hardly any replies");
    for (const reply of promised) {
      const start = reply.replace(/ …$/, "");
      assert.ok(
        replies.some((each) => each.startsWith(start)),
        `nobody was told: ${reply}`,
      );
    }
  });

  test("[CH5] every command of its table is understood", () => {
    const [table] = chatGuide.split("| Write | Effect |")[1].split("\n\n");
    const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell.match(/`[^`]+`/g) ?? []);
    assert.ok(cells.length >= 13);
    for (const command of cells)
      assert.doesNotMatch(understand(command.slice(1, -1)).type, /unclear|incomplete/, command);
  });

  test("[CH7] the group has its assigned ladder, and the dead letter was resent", async () => {
    const [{ channel, ladder }] = (await operators("groups")).groups;
    assert.deepEqual([channel, ladder], ["telegram", "club"]);
    assert.match(printed, /"reason":".*blocked.*"/);
    assert.match(printed, /"message":"The message is being sent again\."/);
  });

  test("[CH4] a first throw is secret until the second, and a duel that both agree on counts once", async () => {
    assert.match(dueled, /"yourThrow":null,"hasOpponentThrown":true,"opponentThrow":null/);
    assert.match(
      dueled,
      /"yourThrow":"paper","hasOpponentThrown":true,"opponentThrow":"rock","result":"won"/,
    );
    const { ladders } = (await server.client.get("/api/v1/ladders")).body.data;
    const { id } = ladders.find(({ title }: Json) => title === "Rock, paper, scissors");
    const standings = async () =>
      (await server.client.get(`/api/v1/ladders/${id}/standings`)).body.data.players;
    await until("a match on the ladder", async () => (await standings()).length === 2);
    assert.deepEqual(
      (await standings()).map(({ name, wins, losses }: Json) => [name, wins, losses]),
      [
        ["Eve", 1, 0],
        ["Fay", 0, 1],
      ],
    );
    assert.match(dueled, /"status":"DROPPED".*"reason":"declined"/);
  });
});
