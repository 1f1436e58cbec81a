import assert from "node:assert/strict";
import { TelegramStandIn } from "../chat/telegram-stand-in.ts";
import { metric, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Cluster, type Node } from "./cluster.ts";

const { test } = testsNeeding(missingPostgres);

const chats = [101, 102, 103, 104];

async function leaderOf({ nodes }: Cluster): Promise<Node> {
  return until("a leader", async () => {
    for (const node of nodes) if ((await metric(node.client, "openseat_leader")) === 1) return node;
    return undefined;
  });
}

test("[CL2] [CH1] [CH7] two nodes on one Telegram bot: each message is answered once, even when the fetching node leaves", async () => {
  const standIn = await TelegramStandIn.start();
  const flags = ["--telegram-token", standIn.token, "--telegram-api", standIn.url];
  const cluster = await Cluster.start(2, { flags });
  let said = 0;
  const sayAll = (count: number) => {
    for (const _ of range(count)) {
      said++;
      for (const chat of chats) standIn.say(chat, chat, `nick Name${chat}x${said}`);
    }
  };
  const allAnswered = () =>
    until(
      "all answers",
      () => chats.every((chat) => standIn.received(chat).length >= said) && standIn.pending === 0,
    );
  try {
    sayAll(5);
    await allAnswered();
    const first = await leaderOf(cluster);
    sayAll(5);
    assert.equal((await first.stop()).code, 0);
    sayAll(5);
    await allAnswered();
    for (const chat of chats) {
      const received = standIn.received(chat);
      assert.equal(received.length, said, JSON.stringify(received));
      assert.equal(new Set(received).size, said, "each is the reply to another message");
    }
  } finally {
    await cluster.close();
    await standIn.stop();
  }
});
