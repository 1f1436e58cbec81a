import assert from "node:assert/strict";
import { test } from "node:test";
import { isMadeForGroup } from "../../src/app/chat/chat.ts";
import { Ladders, newLadderCommand } from "../../src/app/ladders/ladders.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { freeCreation } from "../support/limits.ts";
import { doneOf } from "../support/results.ts";
import { answered } from "../support/test-clock.ts";
import { type ChatStage, onChatStage, Pigeons } from "./chat-stage.ts";

interface Roost {
  readonly stage: ChatStage;
  /** A channel that is only this object. */
  readonly pigeons: Pigeons;
  /** A message in the group of this number, or in private. */
  inGroup(group: number, sender: string, text: string, id?: string): Promise<string>;
  privately(sender: string, text: string, id?: string): Promise<string>;
}

function roost(work: (roost: Roost) => Promise<void>, replies: Pigeons["replies"] = "sent"): Promise<void> {
  const pigeons = new Pigeons("pigeon", replies);
  return onChatStage({ channels: [pigeons] }, (stage) =>
    work({
      ...{ stage, pigeons },
      inGroup: (group, sender, text, id) =>
        stage.bring(pigeons, [sender, `square ${group}`, `Group ${group}`], text, id),
      privately: (sender, text, id) => stage.bring(pigeons, [sender, `loft of ${sender}`], text, id),
    }),
  );
}

const groupsOf = async ({ stage }: Roost, query = ""): Promise<Json> => {
  const { status, text, body } = await stage.ask("GET", `/api/v1/chat/groups${query}`, "operator");
  assert.equal(status, 200, text);
  return body.data;
};

const link = ({ stage }: Roost, number: string, body: Json, key?: string) =>
  stage.ask("PUT", `/api/v1/chat/groups/${number}`, "operator", body, key);

const ladder = async ({ stage }: Roost, id: string) => {
  const command = newLadderCommand({ title: "Linked", startRating: 1500 }, "@operator");
  const made = await answered(stage.streams.ladders.ask(id, { command, by: "@operator" }));
  assert.ok(!("refusal" in made), JSON.stringify(made));
};

test("[CH6] a channel is one object: its messages are received, and replies are sent through it", () =>
  roost(async ({ stage, pigeons, privately }) => {
    await privately("ann", "nick Ann");
    await stage.reply("web-bob", "nick Bob");
    assert.match(await privately("ann", "throw rock @Bob"), /It is secret until Bob/);
    assert.match(
      await stage.reply("web-bob", "throw paper @Ann"),
      /^You threw paper, Ann threw rock: you win!/,
    );
    await stage.settle();
    assert.deepEqual(
      pigeons.sent.map((text) => text.split("!")[0].split(".")[0]),
      [
        "loft of ann: Hello, Ann",
        "loft of ann: You threw",
        "loft of ann: You threw rock, Bob threw paper: Bob wins",
      ],
    );
    assert.match((await stage.lines("web-bob"))[2], /^openseat: Ann challenges you/);
  }));

test("[CH6] [CH7] if replies are returned none is sent, but notices are", () =>
  roost(async ({ stage, pigeons, privately }) => {
    assert.match(await privately("ann", "nick Ann"), /^Hello, Ann!/);
    await stage.reply("web-bob", "nick Bob");
    await stage.reply("web-bob", "throw rock @Ann");
    await stage.settle();
    assert.equal(pigeons.sent.length, 1);
    assert.match(pigeons.sent[0], /^loft of ann: Bob challenges you/);
  }, "returned"));

test("[CH1] a message is identified by its channel and its id: on another channel it is another message", async () => {
  const [pigeons, ravens] = [new Pigeons("pigeon"), new Pigeons("raven")];
  await onChatStage({ channels: [pigeons, ravens] }, async (stage) => {
    const first = await stage.bring(pigeons, ["ann", "loft"], "nick Ann", "7");
    assert.equal(await stage.bring(pigeons, ["ann", "loft"], "nick Ann", "7"), first);
    const other = await stage.bring(ravens, ["ann", "tower"], "nick Raven-Ann", "7");
    assert.match(other, /^Hello, Raven-Ann!/);
    assert.match(await stage.reply("ann", "nick Web-Ann", "7"), /^Hello, Web-Ann!/, "three people");
    assert.match(await stage.bring(pigeons, ["ann", "loft"], "help"), /^You are Ann\./);
    await stage.settle();
    assert.deepEqual([pigeons.sent.length, ravens.sent.length], [2, 1]);
  });
});

test("[CH6] groups are listed for operators, newest first, page by page, and private chats are not", () =>
  roost(async (here) => {
    const { stage, inGroup, privately } = here;
    assert.deepEqual(await groupsOf(here), { groups: [], nextCursor: null });
    await privately("ann", "nick Ann");
    for (const group of range(5)) await inGroup(group, "ann", "help");
    await privately("bob", "help");
    await inGroup(0, "bob", "help");
    const { groups, nextCursor } = await groupsOf(here);
    assert.equal(nextCursor, null);
    assert.deepEqual(
      groups,
      [4, 3, 2, 1, 0].map((group) => ({
        ...{ number: String(group + 2), channel: "pigeon", title: `Group ${group}`, ladder: null },
      })),
    );
    const pages: Json[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Json = await groupsOf(here, `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      assert.ok(page.groups.length <= 2);
      pages.push(...page.groups);
      cursor = page.nextCursor;
    }
    assert.deepEqual(pages, groups);
    const text = JSON.stringify(groups);
    assert.ok(!text.includes("square"), "addresses are not shown");
    for (const [query, field] of [
      ["?limit=0", "limit"],
      ["?what=all", "what"],
    ])
      assertInvalid(await stage.ask("GET", `/api/v1/chat/groups${query}`, "operator"), field, query);
  }));

test("[CH6] each group gets its own ladder on first use, whose id does not reveal the group", () =>
  roost(async (here) => {
    const { inGroup, stage } = here;
    await inGroup(1, "ann", "nick Ann");
    await inGroup(1, "ann", "register");
    await inGroup(1, "bob", "nick Bob");
    await inGroup(1, "bob", "register");
    assert.match(await inGroup(1, "ann", "match @Bob 3-1"), /^Match 1: Ann 3, Bob 1\./);
    assert.match(await inGroup(2, "ann", "top"), /^Nobody is on the ladder yet/);
    assert.match(await inGroup(1, "cat", "top"), /^1\. Ann 1016\n2\. Bob 984$/, "a guest may watch");
    const { groups } = await groupsOf(here);
    const [other, first] = groups.map((group: Json) => group.ladder);
    assert.match(first, /^pigeon-[\w-]{16}$/);
    assert.notEqual(first, other);
    assert.ok(!first.includes("square") && !first.includes("Group"));
    const later = stage.another({ channels: [here.pigeons] });
    const again = await later.bring(here.pigeons, ["ann", "square 1", "Group 1"], "top");
    assert.match(again, /^1\. Ann 1016/, "the same after a crash");
    await later.stop();
  }));

test("[CH6] [ID1] [ID2] an operator assigns a ladder to a group, which then uses it by default", () =>
  roost(async (here) => {
    const { inGroup, stage } = here;
    await inGroup(1, "ann", "nick Ann");
    await inGroup(1, "ann", "register");
    const before = await inGroup(1, "ann", "top", "asked before");
    await ladder(here, "linked");
    await ladder(here, "other");
    const linked = await link(here, "1", { ladder: "linked" }, "key");
    const group = { number: "1", channel: "pigeon", title: "Group 1", ladder: "linked" };
    assert.deepEqual([linked.status, linked.body.data], [200, { group }]);
    assert.deepEqual((await groupsOf(here)).groups, [group]);
    const again = await link(here, "1", { ladder: "linked" }, "key");
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [linked.text, "true"]);
    assertRefused(await link(here, "1", { ladder: "other" }, "key"), 422, "key.reused");
    assert.match(await inGroup(1, "ann", "register"), /with 1500 points/);
    assert.match(await inGroup(1, "ann", "top"), /^1\. Ann 1500$/);
    assert.equal(await inGroup(1, "ann", "top", "asked before"), before, "CH1");
    await stage.settle();
  }));

test("[CH6] [LM1] an unknown ladder or group, a private conversation, and invalid input are refused", () =>
  roost(async (here) => {
    const { inGroup, privately, stage } = here;
    await inGroup(1, "ann", "help");
    await privately("bob", "help");
    await ladder(here, "linked");
    assertRefused(await link(here, "1", { ladder: "nowhere" }), 404, "ladder.not-found");
    for (const number of ["2", "99"])
      assertRefused(await link(here, number, { ladder: "linked" }), 404, "conversation.not-found");
    for (const number of ["0", "9".repeat(16)])
      assertInvalid(await link(here, number, { ladder: "linked" }), "number", number);
    for (const [body, field] of [
      [{ ladder: "two words" }, "ladder"],
      [{ ladder: "linked", title: "Mine" }, "title"],
    ] as const)
      assertInvalid(await link(here, "1", body), field, JSON.stringify(body));
    for (const by of ["ann", "service"])
      assertRefused(
        await stage.ask("PUT", "/api/v1/chat/groups/1", by, { ladder: "linked" }),
        403,
        "auth.forbidden",
      );
    assert.equal((await groupsOf(here)).groups[0].ladder, null);
  }));

test("[CH6] the ladder of a group is not listed, but is found by its id and by the group", () =>
  roost(async (here) => {
    const { stage, inGroup, privately } = here;
    await ladder(here, "before");
    for (const group of range(5)) {
      await inGroup(group, "ann", "nick Ann");
      await inGroup(group, "ann", "register");
    }
    await privately("bob", "nick Bob");
    await privately("bob", "register");
    await ladder(here, "after");
    const ladders = new Ladders({
      streams: stage.streams.ladders,
      nicknameOf: async () => null,
      creation: freeCreation(),
      networks: new NetworkHashes("a secret"),
      isUnlisted: (id, creator) => isMadeForGroup(id, creator, "chat"),
    });
    const page = async (limit: number, before?: number) => {
      const listed = doneOf(await answered(ladders.list({ limit, before })));
      return [listed.ladders.map(({ id }) => id), listed.nextCursor];
    };
    assert.deepEqual(await page(20), [["after", "chat", "before"], null]);
    const [first, cursor] = await page(2);
    assert.deepEqual(
      [first, await page(2, Number(cursor))],
      [
        ["after", "chat"],
        [["before"], null],
      ],
    );
    const { groups } = await groupsOf(here);
    assert.equal(groups.length, 5);
    for (const { ladder: id } of groups as Json[]) {
      const { ladder: shown } = doneOf(await answered(ladders.get(null, id)));
      assert.equal(shown.players, 1);
    }
    assert.match(await inGroup(1, "ann", "top"), /^1\. Ann/);
  }));

test("[CH6] a group that moves keeps its ladder, its number and its place in the list", () =>
  roost(async (here) => {
    const { stage, pigeons, inGroup } = here;
    await inGroup(1, "ann", "nick Ann");
    await inGroup(1, "ann", "register");
    const { groups } = await groupsOf(here);
    const moved = () => answered(stage.parts.chat.moved(pigeons, "square 1", "palace 1", "move"));
    assert.deepEqual(await moved(), { reply: "" });
    assert.deepEqual(await moved(), { reply: "" }, "and again");
    assert.deepEqual(await answered(stage.parts.chat.moved(pigeons, "nowhere", "palace 2", "other")), {
      reply: "",
    });
    const top = await stage.bring(pigeons, ["ann", "palace 1", "Group 1"], "top");
    assert.match(top, /^1\. Ann 1000/);
    assert.deepEqual((await groupsOf(here)).groups, groups);
    await stage.settle();
    assert.match(pigeons.sent.at(-1)!, /^palace 1: 1\. Ann/);
  }));

test("[LM1] the title of a group is cleaned and truncated", () =>
  roost(async (here) => {
    const { stage, pigeons } = here;
    const titles = ["", " \u0000\n ", "x".repeat(500), "\ud800half", "a\u0007b"];
    for (const [index, title] of titles.entries())
      await stage.bring(pigeons, ["ann", `square ${index}`, title], "help");
    const shown = (await groupsOf(here)).groups.map(({ title }: Json) => title).reverse();
    assert.ok(shown[0].length > 0 && shown[1].length > 0);
    assert.deepEqual(shown.slice(2), ["x".repeat(100), "\ufffdhalf", "a b"]);
  }));
