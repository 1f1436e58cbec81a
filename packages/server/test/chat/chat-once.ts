import assert from "node:assert/strict";
import {
  type ConversationEvent,
  type Decider,
  type Delivery,
  type DirectoryEvent,
  directoryDecider,
  type LadderEvent,
  ladderDecider,
} from "@openseat/kernel";
import type { Entry } from "../../src/log/entry.ts";

/** The complete log of a conversation. */
export interface Written {
  readonly directory: readonly Entry<DirectoryEvent>[];
  readonly ladder: readonly Entry<LadderEvent>[];
  /** By person. */
  readonly conversations: ReadonlyMap<string, readonly Entry<ConversationEvent>[]>;
}

/** CH1, CH2, CH7: each message is in the log once, by its key, with its reply, and so are all its effects in other streams. */
export function assertOnce(replies: ReadonlyMap<string, string>, written: Written): void {
  const { directory, ladder } = written;
  const [received, discussed] = [repliesIn(directory), repliesIn(ladder)];
  assert.deepEqual(new Set(received.keys()), new Set(replies.keys()), "every message is in the log");
  for (const [key, reply] of replies) assert.equal(received.get(key) ?? discussed.get(key), reply, key);
  const asked = [...received].flatMap(([key, reply]) => (reply === undefined ? key : []));
  assert.deepEqual(new Set(discussed.keys()), new Set(asked), "the ladder was asked every question");
  assertDelivered(written);
  assertOneEndEach(directory);
}

/** By the key of each message; undefined for one that the ladder answers. */
function repliesIn(entries: readonly Entry<DirectoryEvent | LadderEvent>[]): Map<string, string | undefined> {
  const replies = new Map<string, string | undefined>();
  for (const { key, events } of entries) {
    if (!key?.startsWith("web ")) continue;
    assert.ok(!replies.has(key), `${key} is in the log twice`);
    const last = events.at(-1);
    replies.set(key, last?.type === "answered" ? last.reply : undefined);
  }
  return replies;
}

/** All effects of entries in other streams exist exactly once and in order. */
function assertDelivered({ directory, ladder, conversations }: Written): void {
  const senders = {
    "directory/main": causedBy(directoryDecider, directory),
    "ladder/chat": causedBy(ladderDecider, ladder),
  };
  for (const [person, entries] of conversations)
    for (const [sender, caused] of Object.entries(senders)) {
      const events = entries.flatMap((entry) => entry.events).filter(({ from }) => from === sender);
      const expected = (caused.get(`conversation/${person}`) ?? []).flatMap(({ body: { said, text } }) => [
        ...(said === undefined ? [] : [{ by: "you", text: said }]),
        { by: "openseat", text },
      ]);
      assert.deepEqual(
        events.flatMap(({ lines }) => lines),
        expected,
        `what ${sender} has told ${person}`,
      );
    }
  const rated = directory.filter(({ events }) =>
    events.some((event) => event.type === "duel-ended" && event.ladder !== null),
  );
  const ladderEvents = ladder.flatMap((entry) => entry.events);
  assert.deepEqual(
    ladderEvents.flatMap((event) => (event.type === "counted" && event.origin) || []),
    rated.map(({ version }) => `directory/main#${version}`),
    "each duel that counts has reached the ladder",
  );
  assert.deepEqual(
    directory.flatMap(({ events }) => events.flatMap((event) => ("notices" in event ? event.notices : []))),
    ladderEvents.flatMap((event) => (event.type === "answered" && event.tells) || []),
    "every notice of the ladder was passed on",
  );
}

/** The effects of a stream's entries on other streams, by the names of those streams. */
function causedBy<State, Event>(
  decider: Pick<Decider<State, never, Event>, "evolve" | "effects">,
  entries: readonly Entry<Event>[],
): Map<string, Delivery[]> {
  let state: State | undefined;
  const caused = new Map<string, Delivery[]>();
  for (const { events, at, version } of entries) {
    for (const event of events) state = decider.evolve(state, event, at, version);
    for (const { to, body } of decider.effects!(state!, events))
      caused.set(to, [...(caused.get(to) ?? []), { version, body }]);
  }
  return caused;
}

/** CH4: duels are numbered 1, 2, 3…, and none ends twice. */
function assertOneEndEach(directory: readonly Entry<DirectoryEvent>[]): void {
  const events = directory.flatMap((entry) => entry.events);
  const numbersOf = (...types: readonly DirectoryEvent["type"][]) =>
    events.flatMap((event) => ("duel" in event && types.includes(event.type) ? [event.duel] : []));
  const opened = numbersOf("duel-opened");
  assert.deepEqual(
    opened,
    opened.map((_, index) => index + 1),
  );
  const ends = numbersOf("duel-ended", "duel-dropped");
  assert.equal(new Set(ends).size, ends.length, "a duel ended twice");
  assert.ok(numbersOf("duel-ended").length > 20, "hardly any duel ended");
}
