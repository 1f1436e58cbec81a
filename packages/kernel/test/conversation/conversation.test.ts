import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Conversation,
  type ConversationCommand,
  type ConversationEvent,
  conversationDecider,
  conversationLimits,
} from "@openseat/kernel";
import fc from "fast-check";
import { throughBytes } from "../decider-stage.ts";
import { millis } from "../room-stage.ts";

const { decide, evolve, nextDue, listing } = conversationDecider;
const { restore, save } = conversationDecider.snapshots;
const { receive } = conversationDecider.inbox!;

/** The text of a reply or notification, with the message that it answers. */
type Message = readonly [version: number, text: string, said?: string | undefined];
const say = (from: string, ...messages: Message[]): ConversationCommand =>
  receive!(
    from,
    messages.map(([version, text, said]) => ({
      version,
      body: { text, ...(said !== undefined && { said }) },
    })),
  );

class ConversationStage {
  conversation: Conversation | undefined;
  now = 1_000;
  readonly log: string[] = [];

  do(command: ConversationCommand): readonly ConversationEvent[] {
    const decision = decide(this.conversation, command, millis(this.now));
    if ("refusal" in decision) assert.fail(decision.refusal.code);
    const line = JSON.stringify(decision.events);
    this.log.push(line);
    for (const event of JSON.parse(line))
      this.conversation = evolve(this.conversation, event, millis(this.now), this.log.length);
    return decision.events;
  }

  refused(command: ConversationCommand): void {
    const decision = decide(this.conversation, command, millis(this.now));
    assert.equal("refusal" in decision && decision.refusal.code, "delivery.repeated");
  }

  get lines(): string[] {
    return this.conversation!.lines.map(({ number, by, text }) => `${number} ${by}: ${text}`);
  }
}

describe("a conversation", () => {
  test("[CH6][CH7] has all messages and replies in order, with numbers and times", () => {
    const stage = new ConversationStage();
    stage.do(say("directory/main", [3, "Hello, Ann!", "nick Ann"], [5, "bob challenges you"]));
    stage.now = 2_000;
    stage.do(say("ladder/club", [9, "1. ann 1000", "top"]));
    assert.deepEqual(stage.lines, [
      "1 you: nick Ann",
      "2 openseat: Hello, Ann!",
      "3 openseat: bob challenges you",
      "4 you: top",
      "5 openseat: 1. ann 1000",
    ]);
    assert.deepEqual(
      stage.conversation!.lines.map(({ at }) => at),
      [1_000, 1_000, 1_000, 2_000, 2_000],
    );
    assert.deepEqual(listing(stage.conversation!), { status: "OPEN", summary: { lines: 5 } });
  });

  test("[CH7] repeated deliveries are refused, whole or in part, and appear once", () => {
    const stage = new ConversationStage();
    const first = say("directory/main", [3, "three"], [5, "five"]);
    stage.do(first);
    stage.refused(first);
    stage.refused(say("directory/main", [5, "five"]));
    stage.refused(say("directory/main", [1, "one"]));
    stage.refused(say("directory/main"));
    stage.do(say("directory/main", [5, "five"], [6, "six"]));
    assert.deepEqual(stage.lines, ["1 openseat: three", "2 openseat: five", "3 openseat: six"]);
  });

  test("[CH7] versions are counted per stream", () => {
    const stage = new ConversationStage();
    stage.do(say("directory/main", [8, "a"]));
    stage.do(say("ladder/club", [2, "b"]));
    stage.refused(say("ladder/club", [2, "b"]));
    stage.do(say("directory/main", [9, "c"]));
    assert.deepEqual(
      [...stage.conversation!.receivedUpTo],
      [
        ["ladder/club", 2],
        ["directory/main", 9],
      ],
    );
  });

  test("[CH6] keeps the latest lines, and their numbers continue", () => {
    const stage = new ConversationStage();
    const count = conversationLimits.linesMax + 31;
    for (let version = 1; version <= count; version++)
      stage.do(say("directory/main", [version, `${version}`]));
    assert.equal(stage.lines.length, conversationLimits.linesMax);
    assert.equal(stage.lines[0], "32 openseat: 32");
    assert.equal(stage.lines.at(-1), `${count} openseat: ${count}`);
    const many = Array.from({ length: 250 }, (_, nth): Message => [count + 1 + nth, "told", "said"]);
    stage.do(say("directory/main", ...many));
    assert.equal(stage.lines.length, conversationLimits.linesMax);
    assert.equal(stage.lines.at(-1), `${count + 500} openseat: told`);
  });

  test("[CH7] beyond a limit, the versions of streams silent for longest are forgotten", () => {
    const stage = new ConversationStage();
    stage.do(say("ladder/first", [1, "x"]));
    stage.do(say("ladder/second", [1, "x"]));
    for (let nth = 2; nth < conversationLimits.sourcesMax; nth++)
      stage.conversation!.receivedUpTo.set(`ladder/${nth}`, 1);
    stage.do(say("ladder/first", [2, "y"]));
    stage.do(say("ladder/new", [1, "z"]));
    assert.equal(stage.conversation!.receivedUpTo.size, conversationLimits.sourcesMax);
    assert.ok(!stage.conversation!.receivedUpTo.has("ladder/second"));
    stage.refused(say("ladder/first", [2, "y"]));
  });

  test("[CH7] is never woken, and a tick does nothing", () => {
    assert.deepEqual(decide(undefined, { type: "tick" }, millis(1)), { events: [] });
    const stage = new ConversationStage();
    stage.do(say("directory/main", [1, "x"]));
    assert.equal(nextDue(stage.conversation!), undefined);
  });

  test("[LG5] is the same when saved, restored or replayed, and behaves the same", () => {
    const message = fc.tuple(
      fc.nat(400),
      fc.string({ unit: "binary", maxLength: 5 }),
      fc.option(fc.constant("said"), { nil: undefined }),
    );
    const step = fc.tuple(
      fc.constantFrom("directory/main", "ladder/a", "ladder/b"),
      fc.array(message, { maxLength: 6 }),
    );
    const property = fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const stage = new ConversationStage();
      let other: Conversation | undefined;
      for (const [from, messages] of steps) {
        stage.now += 7;
        const sorted = messages.toSorted(([one], [two]) => one - two);
        const command = say(from, ...sorted);
        const decision = decide(stage.conversation, command, millis(stage.now));
        assert.deepEqual(decide(other, command, millis(stage.now)), decision);
        if ("refusal" in decision) continue;
        stage.do(command);
        for (const event of decision.events) other = evolve(other, event, millis(stage.now), 1);
        other = restore(throughBytes(save(other!)));
        assert.equal(JSON.stringify(save(other)), JSON.stringify(save(stage.conversation!)));
      }
    });
    fc.assert(property, { numRuns: 30 });
  });

  test("[LG5] a snapshot does not change; one of another shape is not restored", () => {
    const stage = new ConversationStage();
    stage.do(say("directory/main", [1, "x"]));
    const saved = save(stage.conversation!);
    const then = structuredClone(saved);
    for (let version = 2; version < 300; version++) stage.do(say("directory/main", [version, "y"]));
    assert.deepEqual(saved, then);
    assert.throws(
      () => restore({ ...saved, head: { ...saved.head, shape: 0 } }),
      /^Error: Impossible: a snapshot/,
    );
  });
});
