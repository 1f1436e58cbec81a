import type {
  Directory,
  DirectoryCommand,
  DirectoryEvent,
  Ladder,
  LadderCommand,
  LadderEvent,
  PersonId,
} from "@openseat/kernel";
import {
  type Channel,
  type ChannelSender,
  type Chat,
  channelSendersOf,
  type Host,
  type StreamName,
  TheDirectory,
} from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Judge } from "../judge.ts";
import type { Answer, Move, Say } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { Life } from "../world.ts";
import { theDirectory, usualLadder } from "./correspondence.ts";
import { addressOf, type Message, outsideChannels } from "./message.ts";
import { pagerChannel } from "./pager.ts";

type ChatDeps = ConstructorParameters<typeof Chat>[0];
/** Receives messages. */
export type MessageReceiver = Pick<Chat, "receive" | "receivePerson" | "moved">;

interface Setting {
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly judge: Judge;
  readonly life: Life;
}

/** Receives the messages of one process. */
export class Switchboard {
  readonly #host: Host;
  readonly #receiver: MessageReceiver;
  readonly #channels: ReadonlyMap<string, Channel>;

  constructor(host: Host, chat: (parts: ChatDeps) => MessageReceiver, setting: Setting) {
    this.#host = host;
    const connection = { ...setting, onArrival: () => {}, lostPlace: undefined };
    this.#channels = new Map(outsideChannels.map((name) => [name, pagerChannel(name, connection)]));
    this.#receiver = chat({
      directory: directoryOf(host),
      ladders: host.streams<Ladder, LadderCommand, LadderEvent>("ladder"),
      usualLadder,
      idSecret: "simulated",
      onFault: (error) => setting.judge.fail(error),
    });
  }

  async answer(request: Say | Move): Promise<Answer> {
    const reply = request.type === "say" ? await this.#receive(request.message) : await this.#move(request);
    return "refusal" in reply ? { type: "refused", ...reply } : { type: "replied", reply: reply.reply };
  }

  #receive({ channel, id, sender, place, title, text, wish }: Message) {
    if (channel === "web") return this.#receiver.receivePerson(sender as PersonId, { id, text });
    const group = title === undefined ? {} : { group: { title } };
    return this.#receiver.receive(this.#channels.get(channel)!, {
      ...{ id, sender, place: place!, text, ...group },
      ...((wish.type === "stop" || wish.type === "start") && { consent: wish.type }),
    });
  }

  #move({ from, to, id }: Move) {
    return this.#receiver.moved(this.#channels.get("pager")!, from, to, id);
  }

  /** Reads the newest dead letter from the log itself, so a clean stop may interrupt it. */
  async settle(how: "resend" | "discard"): Promise<Answer> {
    const unavailable = { code: "log.unavailable", message: "Not just now.", retryable: true } as const;
    try {
      const [letter] = await this.#host.deadLetters.list(undefined, 1);
      const settled = letter && (await this.#host.deadLetters[how](letter.number));
      return settled && "refusal" in settled
        ? { type: "refused", ...settled }
        : { type: "replied", reply: "" };
    } catch {
      return { type: "refused", refusal: unavailable };
    }
  }
}

/**
 * The delivery handlers of one process. Each message has its own channel connection, which shows the conversation
 * of an arriving text. Each attempt is recorded, because attempts decide when a message may become a dead letter.
 */
export function senders(
  host: () => Host,
  through: (sender: ChannelSender) => ChannelSender,
  { scenario, faults, judge, life }: Setting,
): Readonly<Record<string, ChannelSender>> {
  const lostPlace = scenario.isPagerLost ? addressOf("pager", 1) : undefined;
  const sender = (name: (typeof outsideChannels)[number]): ChannelSender => ({
    async send(id, body) {
      const to: StreamName = `${name}/${id}`;
      const onArrival = (place: string, text: string) =>
        judge.check(() => judge.post.arrived(to, place, text, life));
      const channel = pagerChannel(name, { faults, life, onArrival, lostPlace });
      const sending = await channelSendersOf([channel], () => directoryOf(host()))[name].send(id, body);
      judge.post.tried(to, sending, life);
      return sending;
    },
  });
  return Object.fromEntries(outsideChannels.map((name) => [name, through(sender(name))]));
}

function directoryOf(host: Host): TheDirectory {
  const [kind] = theDirectory.split("/");
  return new TheDirectory(host.streams<Directory, DirectoryCommand, DirectoryEvent>(kind));
}
