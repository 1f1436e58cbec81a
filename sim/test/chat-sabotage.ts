import {
  conversationDecider,
  type Directory,
  type DirectoryEvent,
  directoryDecider,
  type Effect,
  folded,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import { Chat, type Outgoing, TheDirectory } from "@openseat/server";
import { poison } from "../src/chat/message.ts";
import type { Parts } from "../src/parts.ts";
import { outboxInMemory } from "./ladder-sabotage.ts";
import { deciding, directories, restoring } from "./rules.ts";
import { altered, edited, forgetKeys, type Sabotage } from "./sabotage.ts";

type Asking = TheDirectory["ask"];
type AskOtherwise = (inner: TheDirectory, ...given: Parameters<Asking>) => ReturnType<Asking>;

/** The directory with altered handling of commands. */
class AlteredDirectory extends TheDirectory {
  readonly #inner: TheDirectory;
  readonly #ask: AskOtherwise;

  constructor(inner: TheDirectory, ask: AskOtherwise) {
    super(undefined as never);
    this.#inner = inner;
    this.#ask = ask;
  }

  override ask(...given: Parameters<Asking>): ReturnType<Asking> {
    return this.#ask(this.#inner, ...given);
  }

  override read<T>(look: (directory: Directory | undefined) => T) {
    return this.#inner.read(look);
  }
}

/** A chat that sends altered commands to the directory. */
function chatting(ask: AskOtherwise): Partial<Parts> {
  return { chat: (parts) => new Chat({ ...parts, directory: new AlteredDirectory(parts.directory, ask) }) };
}

/** Repeated messages are decided again if their entry ends with this event. */
function decidingAnew(type: "answered" | "asked"): Partial<Parts> {
  return chatting(async (inner, command, by, key) => {
    const outcome = await inner.ask(command, by, key);
    if ("refusal" in outcome || !outcome.replayed || outcome.entry.events.at(-1)?.type !== type)
      return outcome;
    const { state, entry } = outcome;
    const decision = directoryDecider.decide(state, command, entry.at as Millis);
    return "events" in decision ? { ...outcome, entry: { ...entry, events: decision.events } } : outcome;
  });
}

/** Changes the effects of entries. */
function causing(
  change: (effect: Effect, directory: Directory, events: readonly DirectoryEvent[]) => Effect[],
): Partial<Parts> {
  return directories({
    effects: (directory, events) =>
      directoryDecider.effects!(directory, events).flatMap((effect) => change(effect, directory, events)),
  });
}

/** A released nickname stays taken for one entry longer. */
function freedLate(): Partial<Parts> {
  const late = new WeakMap<Directory, { name: string; person: PersonId; version: number }>();
  return directories({
    evolve(known, event, at, version) {
      const kept = known && late.get(known);
      if (kept && kept.version < version && known.nicknames.get(kept.name) === kept.person) {
        const isTheirs = folded(known.people.get(kept.person)?.nickname ?? "") === kept.name;
        if (!isTheirs) known.nicknames.delete(kept.name);
      }
      const directory = directoryDecider.evolve(known, event, at, version);
      if (event.type !== "named" || event.was === null) return directory;
      const name = folded(event.was);
      if (directory.nicknames.has(name)) return directory;
      directory.nicknames.set(name, event.person);
      late.set(directory, { name, person: event.person, version });
      return directory;
    },
  });
}

const isForPager = ({ to }: Pick<Outgoing, "to">) => to.startsWith("pager/");

/** For worlds in which people talk. */
export const chatSabotages: readonly Sabotage[] = [
  {
    name: "a reply that is computed again instead of stored",
    rules: ["CH1"],
    parts: () => decidingAnew("answered"),
  },
  {
    name: "names that are looked up again when a message is repeated",
    rules: ["CH1", "CH2"],
    parts: () => decidingAnew("asked"),
  },
  {
    name: "a message without effect that is not recorded",
    rules: ["CH2"],
    parts: () =>
      chatting(async (inner, command, by, key) => {
        const looked = await inner.read((directory) => directory);
        const state = "value" in looked ? looked.value : undefined;
        if (command.type !== "hear" || !state) return inner.ask(command, by, key);
        const decision = directoryDecider.decide(state, command, 0 as Millis);
        const events = "events" in decision ? decision.events : [];
        if (events.length !== 1 || events[0].type !== "answered") return inner.ask(command, by, key);
        const entry = { format: 1, version: 0, at: 0 as Millis, by, command: "hear", events };
        return { entry, state, replayed: false } as never;
      }),
  },
  {
    name: "a directory that loses its keys in a restart",
    rules: ["CH1"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async loadSnapshot(stream) {
            const snapshot = await log.loadSnapshot(stream);
            return stream.startsWith("directory/") ? edited(snapshot, forgetKeys) : snapshot;
          },
        }),
    }),
  },
  { name: "a nickname that is free one entry late", rules: ["NM3"], parts: freedLate },
  {
    name: "nicknames compared exactly as typed",
    rules: ["NM1"],
    parts: () =>
      directories({
        decide(directory, command, now) {
          if (!directory) return directoryDecider.decide(directory, command, now);
          const typed = Array.from(directory.people, ([person, { nickname }]) => [nickname, person] as const);
          return directoryDecider.decide({ ...directory, nicknames: new Map(typed) }, command, now);
        },
        evolve(directory, event, at, version) {
          if (event.type === "named") directory?.nicknames.delete(folded(event.nickname));
          return directoryDecider.evolve(directory, event, at, version);
        },
      }),
  },
  {
    name: "a duel with two results",
    rules: ["CH4"],
    parts: () =>
      directories({
        ...deciding(directoryDecider, (_, events) =>
          events.flatMap<DirectoryEvent>((event) => (event.type === "duel-ended" ? [event, event] : [event])),
        ),
        evolve: (directory, event, at, version) =>
          directory && event.type === "duel-ended" && !directory.duels.getOpen(event.duel)
            ? directory
            : directoryDecider.evolve(directory, event, at, version),
      }),
  },
  {
    name: "a hand revealed to the opponent before they have thrown",
    rules: ["CH4"],
    parts: () =>
      causing((effect, _, events) => {
        const thrown = events.find((event) => event.type === "thrown");
        if (!thrown || "said" in effect.body) return [effect];
        const text = `${effect.body.text} ${thrown.names[thrown.by]} threw ${thrown.hand}.`;
        return [{ ...effect, body: { text } }];
      }),
  },
  {
    name: "a directory snapshot without the hands thrown",
    rules: ["CH4"],
    parts: () =>
      directories(
        restoring(directoryDecider, ({ lists }) => {
          const openDuels = lists!.openDuels.map((duel) => ({ ...(duel as object), hands: [null, null] }));
          return { lists: { ...lists, openDuels } };
        }),
      ),
  },
  {
    name: "notices to a person who sent STOP",
    rules: ["CH8"],
    parts: () =>
      directories({
        effects(directory, events) {
          const conversations = new Map(
            Array.from(directory.conversations, ([number, { stopped: _, ...known }]) => [number, known]),
          );
          return directoryDecider.effects!({ ...directory, conversations }, events);
        },
      }),
  },
  {
    name: "a snapshot that loses who sent STOP",
    rules: ["CH8"],
    parts: () =>
      directories(
        restoring(directoryDecider, ({ lists }) => {
          const known = lists!.conversations as [number, { stopped?: true }][];
          const conversations = known.map(([number, { stopped: _, ...conversation }]) => [
            number,
            conversation,
          ]);
          return { lists: { ...lists, conversations } };
        }),
      ),
  },
  {
    name: "a person who quits but whose duels continue",
    rules: ["CH5"],
    parts: () =>
      directories(
        deciding(directoryDecider, (_, events) => {
          const isForgotten = events.some(({ type }) => type === "forgotten");
          return isForgotten ? events.filter(({ type }) => type !== "duel-dropped") : events;
        }),
      ),
  },
  {
    name: "a reply that reveals the asker's address",
    rules: ["CH6"],
    parts: () =>
      causing((effect, directory) => {
        const account = [...directory.people.values()].find(({ home }) => home === effect.to)?.account;
        return [account ? { ...effect, body: { ...effect.body, account } } : effect];
      }),
  },
  {
    name: "duels that are not sent to their ladder",
    rules: ["LD12"],
    parts: () => causing((effect) => (effect.body.duel ? [] : [effect])),
  },
  {
    name: "notices stored outside the log",
    rules: ["CH7"],
    parts: () => ({ wire: outboxInMemory }),
  },
  {
    name: "an outbox that marks messages as delivered before it sends them",
    rules: ["CH7"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async outbox(after, limit) {
            const page = await log.outbox(after, limit);
            const numbers = page.filter(isForPager).map(({ number }) => number);
            if (numbers.length > 0) await log.delivered(numbers);
            return page;
          },
        }),
    }),
  },
  {
    name: "an outbox in which the latest message overtakes earlier ones to the same conversation",
    rules: ["CH7"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async outbox(after, limit) {
            const page = await log.outbox(after, limit);
            const latest = page.findLast(isForPager);
            return page.filter((item) => item.to !== latest?.to || item === latest);
          },
        }),
    }),
  },
  {
    name: "a sender that reports every message as sent",
    rules: ["CH7"],
    parts: () => ({
      sender: (sender) => ({
        async send(id, body) {
          const sending = await sender.send(id, body);
          return typeof sending === "object" && "retry" in sending ? "sent" : sending;
        },
      }),
    }),
  },
  {
    name: "a sender that gives up after one attempt",
    rules: ["CH7"],
    parts: () => ({
      sender: (sender) => ({
        async send(id, body) {
          const sending = await sender.send(id, body);
          return typeof sending === "object" && "retry" in sending ? { failure: sending.retry } : sending;
        },
      }),
    }),
  },
  {
    name: "a conversation that forgets what it has received",
    rules: ["CH7"],
    parts: () => ({
      conversations: {
        ...conversationDecider,
        evolve(known, event, at, version) {
          const conversation = conversationDecider.evolve(known, event, at, version);
          conversation.receivedUpTo.delete(event.from);
          return conversation;
        },
      },
    }),
  },
  {
    name: "a message that makes the rules fail and is refused",
    rules: ["CH7"],
    parts: () => ({
      chat(parts) {
        const chat = new Chat(parts);
        const refusal = { code: "server.fault", message: "Simulated." } as const;
        return {
          receive: (channel, message) =>
            message.text.includes(poison) ? Promise.resolve({ refusal }) : chat.receive(channel, message),
          receivePerson: (...given) => chat.receivePerson(...given),
          moved: (...given) => chat.moved(...given),
        };
      },
    }),
  },
];
