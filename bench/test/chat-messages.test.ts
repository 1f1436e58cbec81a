import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchMessages } from "../src/chat/match-messages.ts";
import { Repeats } from "../src/chat/repeats.ts";
import { talkersFrom } from "../src/chat/talkers.ts";
import { Throws } from "../src/chat/throws.ts";
import { Crowd } from "../src/persons.ts";

const talkers = talkersFrom(new Crowd("00ff"), 6);

/** Who says what, in a request to the chat. */
function read(request: string) {
  const [head, body] = request.split("\r\n\r\n");
  const header = (name: string) => new RegExp(`\r\n${name}: (.*)`).exec(head)?.[1];
  assert.match(head, /^POST \/api\/v1\/chat\/messages HTTP\/1\.1\r\n/);
  assert.equal(header("Content-Length"), String(body.length));
  const talker = talkers.findIndex(({ token }) => header("Authorization") === `Bearer ${token}`);
  assert.notEqual(talker, -1);
  const { messageId, text } = JSON.parse(body) as { messageId: string; text: string };
  assert.match(messageId, /^[\x21-\x7e]{36}$/);
  return { talker, messageId, text };
}

function answer(
  talk: { answered(...args: [number, Buffer, number, number]): void },
  to: number,
  text: string,
) {
  const bytes = Buffer.from(`head${text}tail`);
  talk.answered(to, bytes, 4, 4 + Buffer.byteLength(text));
}

test("two who throw at each other do so in the same moment, and again only when both are answered", () => {
  const throws = new Throws(talkers);
  const asked = Array.from({ length: 6 }, () => throws.take());
  assert.equal(throws.left, 0);
  for (const request of asked) {
    const { talker, text } = read(throws.bytesOf(request));
    assert.match(text, new RegExp(`^throw (rock|paper|scissors) @${talkers[talker ^ 1].nickname}$`));
  }
  assert.deepEqual(
    asked.map((request) => read(throws.bytesOf(request)).talker),
    [0, 1, 2, 3, 4, 5],
  );

  answer(throws, asked[2], "{}");
  answer(throws, asked[1], "{}");
  assert.equal(throws.left, 0);
  answer(throws, asked[0], "{}");
  assert.equal(throws.left, 1);
  const again = throws.take();
  assert.equal(read(throws.bytesOf(again)).talker, 0);
  // The other one of the two has not thrown yet, and is next.
  assert.equal(throws.left, 1);
  answer(throws, asked[3], "{}");
  assert.equal(read(throws.bytesOf(throws.take())).talker, 1);
  assert.equal(read(throws.bytesOf(throws.take())).talker, 2);
  assert.equal(throws.acknowledged, 4);
});

test("every throw has an id of its own, and all hands meet all others", () => {
  const throws = new Throws(talkers);
  const ids = new Set<string>();
  const played = new Set<string>();
  for (let nth = 0; nth < 300; nth++) {
    const both = [throws.take(), throws.take()];
    const [one, other] = both.map((request) => read(throws.bytesOf(request)));
    ids.add(one.messageId).add(other.messageId);
    played.add([one, other].map(({ text }) => text.split(" ")[1]).join(" "));
    for (const request of both) answer(throws, request, "{}");
  }
  assert.equal(ids.size, 600);
  assert.equal(played.size, 9);
});

test("only what was answered comes again, to the letter, and another answer to it is noticed", () => {
  const throws = new Throws(talkers);
  const [first, second] = [throws.take(), throws.take()];
  const sent = throws.bytesOf(first);
  answer(throws, first, "won, naïvely");
  const repeats = new Repeats(throws);
  repeats.prepare();
  for (let nth = 0; nth < 20; nth++) assert.equal(repeats.take(), first);
  assert.equal(repeats.bytesOf(first), sent);
  answer(repeats, first, "won, naïvely");
  assert.deepEqual([repeats.acknowledged, repeats.changed], [1, 0]);
  answer(repeats, first, "lost");
  assert.deepEqual([repeats.acknowledged, repeats.changed], [2, 1]);

  answer(throws, second, "lost");
  repeats.prepare();
  const taken = new Set(Array.from({ length: 200 }, () => repeats.take()));
  assert.deepEqual(taken, new Set([first, second]));
});

test("every match is between two different people, by one of them, under an id of its own", () => {
  const matches = new MatchMessages(talkers);
  const ids = new Set<string>();
  const pairs = new Set<string>();
  for (let nth = 0; nth < 500; nth++) {
    const { talker, messageId, text } = read(matches.bytesOf(matches.take()));
    const [, name] = /^match @(\S+) \d-\d$/.exec(text)!;
    const opponent = talkers.findIndex(({ nickname }) => nickname === name);
    assert.ok(opponent !== -1 && opponent !== talker);
    ids.add(messageId);
    pairs.add(`${talker} ${opponent}`);
    matches.answered();
  }
  assert.equal(ids.size, 500);
  assert.equal(pairs.size, 30);
  assert.equal(matches.acknowledged, 500);
});
