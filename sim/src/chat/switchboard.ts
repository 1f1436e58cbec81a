import type {
  Directory,
  DirectoryCommand,
  DirectoryEvent,
  Ladder,
  LadderCommand,
  LadderEvent,
  PersonId,
} from "@openseat/kernel";
import { type Chat, type Courier, couriersOf, type Host, type Streams, TheDirectory } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Judge } from "../judge.ts";
import type { Answer, Talking } from "../requests.ts";
import type { Life, World } from "../world.ts";
import { theDirectory, usualLadder } from "./correspondence.ts";
import { type Message, outsideChannels } from "./message.ts";
import { pagerChannel } from "./pager.ts";

type ChatParts = ConstructorParameters<typeof Chat>[0];
/** What messages are brought to. */
export type Ear = Pick<Chat, "hear" | "hearPerson" | "moved">;

interface Setting {
  readonly world: World;
  readonly faults: Faults;
  readonly judge: Judge;
  readonly life: Life;
  /** How a chat is made. */
  readonly chat: (parts: ChatParts) => Ear;
}

/** Where messages come in and go out, in one process. */
export class Switchboard {
  readonly #host: Host;
  readonly #ear: Ear;
  readonly #channels: ReadonlyMap<string, ReturnType<typeof pagerChannel>>;

  constructor(host: Host, channels: Channels, { judge, chat }: Setting) {
    this.#host = host;
    this.#channels = channels.byName;
    this.#ear = chat({
      directory: directoryOf(host),
      ladders: host.streams<Ladder, LadderCommand, LadderEvent>("ladder"),
      usualLadder,
      idSecret: "simulated",
      onFault: (error) => judge.fail(error),
    });
  }

  async answer(request: Talking): Promise<Answer> {
    if (request.type === "resend") return this.#resend();
    const heard = request.type === "say" ? await this.#hear(request.message) : await this.#move(request);
    return "refusal" in heard ? { type: "refused", ...heard } : { type: "replied", reply: heard.reply };
  }

  #hear({ channel, id, sender, place, title, text }: Message) {
    if (channel === "web") return this.#ear.hearPerson(sender as PersonId, id, text);
    const group = title === undefined ? {} : { group: { title } };
    return this.#ear.hear(this.#channels.get(channel)!, { id, sender, place: place!, text, ...group });
  }

  #move({ from, to, id }: Extract<Talking, { type: "move" }>) {
    return this.#ear.moved(this.#channels.get("pager")!, from, to, id);
  }

  /** The newest of what was set aside. */
  async #resend(): Promise<Answer> {
    const unavailable = { code: "log.unavailable", message: "Not just now.", retryable: true } as const;
    try {
      const [letter] = await this.#host.deadLetters.list(undefined, 1);
      const resent = letter && (await this.#host.deadLetters.resend(letter.number));
      return resent && "refusal" in resent ? { type: "refused", ...resent } : { type: "replied", reply: "" };
    } catch {
      return { type: "refused", refusal: unavailable };
    }
  }
}

/** The channels of one process, and the couriers that take things out through them. */
export class Channels {
  readonly byName: ReadonlyMap<string, ReturnType<typeof pagerChannel>>;
  readonly couriers: Readonly<Record<string, Courier>>;

  constructor(host: () => Host, { world, faults, judge, life }: Setting) {
    const onArrival = (channel: string, place: string, text: string) =>
      judge.check(() => judge.post.arrived(channel, place, text));
    const channels = outsideChannels.map((name) => pagerChannel({ world, faults, onArrival }, name, life));
    this.byName = new Map(channels.map((channel) => [channel.name, channel]));
    const couriers = couriersOf(channels, () => directoryOf(host()));
    this.couriers = Object.fromEntries(
      Object.entries(couriers).map(([kind, courier]) => [kind, watched(kind, courier, judge, life)]),
    );
  }
}

/** Each attempt is known: whether something may be set aside depends on how often it was tried. */
function watched(kind: string, courier: Courier, judge: Judge, life: Life): Courier {
  return {
    async send(id, body) {
      const sending = await courier.send(id, body);
      judge.post.tried(`${kind}/${id}`, sending, life);
      return sending;
    },
  };
}

function directoryOf(host: Host): TheDirectory {
  const [kind] = theDirectory.split("/");
  return new TheDirectory(host.streams<Directory, DirectoryCommand, DirectoryEvent>(kind));
}
