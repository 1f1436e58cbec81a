import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "../src/run.ts";
import type { Theme } from "../src/scenario.ts";
import { absenceSabotages } from "./absence-sabotage.ts";
import { arenaSabotages } from "./arena-sabotage.ts";
import { chatSabotages } from "./chat-sabotage.ts";
import {
  clusterArenaSabotages,
  clusterChatSabotages,
  clusterGameSabotages,
  clusterQueueSabotages,
  clusterSabotages,
} from "./cluster-sabotage.ts";
import {
  endedArenaSabotages,
  endedLadderSabotages,
  endedQueueSabotages,
  peopleSabotages,
} from "./ending-sabotage.ts";
import { deliverySabotages, ladderSabotages } from "./ladder-sabotage.ts";
import {
  crowdedChatSabotages,
  crowdedLadderSabotages,
  unusedArenaSabotages,
  unusedSabotages,
} from "./limit-sabotage.ts";
import { moveSabotages } from "./move-sabotage.ts";
import { queueSabotages } from "./queue-sabotage.ts";
import { type Sabotage, sabotages } from "./sabotage.ts";

/** Of the worlds with queues, one in eighty reveals a snapshot that loses who is settled. */
const seedsToNotice = 300;

function notices({ name, rules, parts, scenario }: Sabotage, theme?: Theme, several = false): void {
  test(`[${rules.join(" ")}] the simulator detects ${name}`, async () => {
    // A fault may first break a rule other than its own; in some world it must break its own.
    const others = new Set<string>();
    for (let seed = 1; seed <= seedsToNotice; seed++) {
      const { broken } = await simulate(seed, { parts: parts(), theme, several, scenario });
      if (broken && rules.includes(broken.rule)) return;
      if (broken) others.add(`${broken.rule}: ${broken.sentence}`);
    }
    assert.fail(
      `none of ${seedsToNotice} seeds detected it. They detected: ${[...others].join("; ") || "nothing"}`,
    );
  });
}

for (const sabotage of sabotages) notices(sabotage);
for (const sabotage of unusedSabotages) notices(sabotage, "games");
for (const sabotage of peopleSabotages) notices(sabotage, "games");
for (const sabotage of endedQueueSabotages) notices(sabotage, "queues");
for (const sabotage of endedArenaSabotages) notices(sabotage, "arenas");
for (const sabotage of endedLadderSabotages) notices(sabotage, "ladders");
for (const sabotage of unusedArenaSabotages) notices(sabotage, "arenas");
for (const sabotage of crowdedLadderSabotages) notices(sabotage, "ladders");
for (const sabotage of crowdedChatSabotages) notices(sabotage, "chat");
for (const sabotage of [...queueSabotages, ...absenceSabotages]) notices(sabotage, "queues");
for (const sabotage of [...arenaSabotages, ...moveSabotages, ...deliverySabotages])
  notices(sabotage, "arenas");
for (const sabotage of ladderSabotages) notices(sabotage, "ladders");
for (const sabotage of chatSabotages) notices(sabotage, "chat");
for (const sabotage of clusterSabotages) notices(sabotage, undefined, true);
for (const sabotage of clusterQueueSabotages) notices(sabotage, "queues", true);
for (const sabotage of clusterGameSabotages) notices(sabotage, "games", true);
for (const sabotage of clusterArenaSabotages) notices(sabotage, "arenas", true);
for (const sabotage of clusterChatSabotages) notices(sabotage, "chat", true);
