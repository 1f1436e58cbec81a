import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationDecider, directoryDecider, ladderDecider } from "@openseat/kernel";
import { couriersOf } from "../../src/app/chat/couriers.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { streamsOf } from "../../src/boot/run-host.ts";
import { talkOf, type Talk as UseCases } from "../../src/boot/use-cases.ts";
import type { ChannelAdapter } from "../../src/channels/channel-adapter.ts";
import { telegram } from "../../src/channels/telegram.ts";
import { type Clock, newSystemClock } from "../../src/clock.ts";
import { Host } from "../../src/host/host.ts";
import { entriesAfter } from "../../src/host/stream/entries.ts";
import { type Log, LogUnavailable } from "../../src/log/log.ts";
import { MemoryCluster, openPassage } from "../../src/log/memory/memory-cluster.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { range, until } from "../support/http.ts";
import { randomOf } from "./telegram-faults.ts";
import { TelegramStandIn } from "./telegram-stand-in.ts";

const people = range(8).map((index) => 1_001 + index);

/** No two replies after each other are the same. */
const scriptOf = (person: number) => [
  "/start",
  `nick p${person}`,
  "help",
  "register",
  `throw rock @ghost${person}`,
  `/nick@OurBot q${person}`,
  "games",
  `what is ${person}?`,
  "undo",
  "help",
];
const lines = scriptOf(0).length;

/** Several nodes on one log, which talk on one Telegram. */
class Talk {
  readonly standIn: TelegramStandIn;
  readonly store = new MemoryLog();
  readonly #clock = newSystemClock();
  readonly #passage = openPassage(this.#clock);
  readonly #cutOff = new Set<string>();
  readonly #cluster = new MemoryCluster(this.store, {
    ...this.#passage,
    pass: async (node, what) => {
      await this.#passage.pass(node, what);
      if (this.#cutOff.has(node)) throw new LogUnavailable("Nothing gets through.");
    },
  });
  readonly #random = randomOf(7);

  constructor(standIn: TelegramStandIn) {
    this.standIn = standIn;
  }

  async start(name: string): Promise<TalkingNode> {
    const node = new TalkingNode(name, this.standIn, this.#cluster.node(name), this.#clock);
    await node.host.start();
    node.channel.start!(node.parts.chat);
    return node;
  }

  /** It cannot reach the log any more; Telegram it can. */
  cutOff(name: string): void {
    this.#cutOff.add(name);
    this.#cluster.crash(name);
  }

  /** Everybody says what they have to say, without waiting for replies. */
  async say(texts: (person: number) => readonly string[]): Promise<void> {
    await Promise.all(
      people.map(async (person) => {
        for (const text of texts(person)) {
          this.standIn.say(person, person, text);
          await new Promise((resolve) => setTimeout(resolve, this.#random() * 40));
        }
      }),
    );
  }

  /** What somebody has read, without what came again right after itself: at least once is all that is promised of sending. */
  readBy(person: number): string[] {
    const received = this.standIn.received(person);
    return received.filter((text, index) => text !== received[index - 1]);
  }

  allRead(count: number): Promise<unknown> {
    const isRead = () => people.every((person) => this.readBy(person).length >= count);
    return until(`${count} replies to each`, isRead);
  }

  /** The keys of what the directory has heard: each message is one entry, under its own. */
  async keys(): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = [];
    for await (const { by, key } of entriesAfter(this.store, "directory/main", 0))
      if (by === "@telegram") keys.push(key);
    return keys;
  }
}

class TalkingNode {
  readonly name: string;
  readonly channel: ChannelAdapter;
  readonly host: Host;
  readonly parts: UseCases;

  constructor(name: string, { token, url }: TelegramStandIn, log: Log, clock: Clock) {
    this.name = name;
    const onError = () => {};
    this.channel = telegram({ token, apiRoot: url, clock, onError, pollSeconds: 5 });
    const channels = [this.channel];
    this.host = new Host({
      ...{ log, clock, onError },
      deciders: { directory: directoryDecider, conversation: conversationDecider, ladder: ladderDecider },
      couriers: couriersOf(channels, () => this.parts.directory),
      onCaretaker: (isCaretaker) => this.channel.fetch!(isCaretaker),
    });
    this.parts = talkOf(
      { streams: streamsOf(this.host), host: this.host, networks: new NetworkHashes("a secret") },
      { usualLadder: "chat", idSecret: "a secret", onFault: onError },
    );
  }

  async stop(): Promise<void> {
    await this.channel.stop!();
    await this.host.stop();
  }
}

test("[CH1] [CH7] [CL2] [CL3] when a node stops, or cannot reach the log any more, another fetches and sends: each message takes effect once, and is answered in its order", async (context) => {
  const [alone, together] = [await TelegramStandIn.start(), await TelegramStandIn.start({ seed: 3 })];
  context.after(async () => {
    await alone.stop();
    await together.stop();
  });
  const expected = new Talk(alone);
  const only = await expected.start("only");
  await expected.say(scriptOf);
  await expected.allRead(lines);
  await only.stop();

  const talk = new Talk(together);
  const nodes = [await talk.start("first"), await talk.start("second")];
  const caretaker = () => until("a caretaker", () => nodes.find(({ host }) => host.isCaretaker));
  await talk.say((person) => scriptOf(person).slice(0, 4));
  // In the middle of it.
  const stopped = await caretaker();
  await stopped.stop();
  nodes.splice(nodes.indexOf(stopped), 1);
  await talk.say((person) => scriptOf(person).slice(4, 7));
  const cutOff = await caretaker();
  nodes.push(await talk.start("third"));
  talk.cutOff(cutOff.name);
  await talk.say((person) => scriptOf(person).slice(7));
  await talk.allRead(lines);
  for (const person of people) assert.deepEqual(talk.readBy(person), expected.readBy(person));
  const keys = await talk.keys();
  assert.deepEqual([keys.length, new Set(keys).size], [lines * people.length, lines * people.length]);
  for (const node of nodes) await node.stop();
});
