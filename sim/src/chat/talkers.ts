import type { StreamName } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Network } from "../network.ts";
import { idOf } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { ApiUser } from "./api-user.ts";
import { ChatOperator } from "./chat-operator.ts";
import { addressOf, type ChannelName, type Message, poison, type Wish, worded } from "./message.ts";
import { chooseWish, KnownNames } from "./wishes.ts";

export interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly network: Network;
  /** Ladders known to exist. */
  readonly ladders: () => readonly StreamName[];
}

/** A person who talks on one channel. */
interface Talker {
  readonly channel: ChannelName;
  readonly sender: string;
  /** On the web, the same person also uses the API. */
  readonly user?: ApiUser;
  /** Whether they were told that they have a nickname. */
  hasName: boolean;
}

/** Delays before a repeated delivery. */
const latenessMs = [0, 5, 200, 1_500, 6_000];
const remembered = 30;
/** Messages sent by a person who cannot be reached. */
const lostMessages = 4;

/**
 * People who talk on the web, by pager and by phone, alone and in a group. Their messages are delivered once or
 * several times, concurrently or late, mostly until there is a reply.
 */
export class Talkers {
  readonly #setting: Setting;
  readonly #talkers: Talker[] = [];
  readonly #operator: ChatOperator;
  readonly #unanswered = new Set<Message>();
  readonly #past: Message[] = [];
  readonly #knownNames: KnownNames;
  #messages = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#knownNames = new KnownNames(setting.world.random);
    this.#operator = new ChatOperator(setting, () => this.#isEvening);
  }

  /** The conversations of people with a token. */
  get streams(): readonly StreamName[] {
    return this.#talkers.flatMap(({ channel, sender }): StreamName[] =>
      channel === "web" ? [`conversation/${sender}`] : [],
    );
  }

  /** Messages that still wait for a reply. */
  get unanswered(): readonly Message[] {
    return [...this.#unanswered];
  }

  start(): void {
    const { talkers } = this.#setting.scenario;
    for (const [channel, count] of Object.entries(talkers) as [ChannelName, number][])
      for (let number = 1; number <= count; number++) this.#talkers.push(this.#newTalker(channel, number));
    if (this.#talkers.length === 0) return;
    for (const talker of this.#talkers) void this.#live(talker);
    this.#operator.start();
  }

  #newTalker(channel: ChannelName, number: number): Talker {
    if (channel !== "web") return { channel, sender: addressOf(channel, number), hasName: false };
    const sender = `w${number}`;
    return { channel, sender, user: new ApiUser(sender, this.#setting, this.#knownNames), hasName: false };
  }

  get #isEvening(): boolean {
    const { faults, world, scenario } = this.#setting;
    return faults.calm || world.steps > scenario.peopleStepsMax;
  }

  async #live(talker: Talker): Promise<void> {
    const { world, scenario, network } = this.#setting;
    const { random } = world;
    // People stop talking after some time without an answer.
    const isLost = scenario.isPagerLost && talker.sender === addressOf("pager", 1);
    for (let said = 0; !isLost || said < lostMessages; said++) {
      await world.pause(random.next() * 2 * scenario.talkThinkMs, `${talker.sender} thinks`);
      if (this.#isEvening) return;
      if (talker.user && random.chance(0.25)) await talker.user.act();
      else if (this.#past.length > 0 && random.chance(0.05))
        await network.send({ type: "say", message: random.pick(this.#past) });
      else {
        const saying = this.#say(talker, this.#compose(talker));
        // Some people continue without waiting for the reply.
        if (random.chance(0.8)) await saying;
      }
    }
  }

  #compose({ channel, sender, hasName }: Talker): Message {
    const { world, faults, ladders } = this.#setting;
    const { random } = world;
    const wish: Wish =
      channel === "phone" && random.chance(0.06)
        ? { type: random.pick(["stop", "start"]) }
        : hasName || random.chance(0.2)
          ? chooseWish(random, this.#knownNames, ladders().map(idOf))
          : { type: "nick", name: this.#knownNames.newName() };
    const said = faults.strikes("poison") ? this.#poisoned() : { text: worded(random, wish), wish };
    return { channel, id: `n${++this.#messages}`, sender, ...this.#placeOf(channel, sender), ...said };
  }

  #placeOf(channel: ChannelName, sender: string): Pick<Message, "place" | "title"> {
    if (channel === "web") return {};
    const isInGroup = channel === "pager" && this.#setting.world.random.chance(0.25);
    return isInGroup ? { place: this.#operator.groupPlace, title: "The Group" } : { place: sender };
  }

  /** CH7: makes the directory or a ladder fail. */
  #poisoned(): Pick<Message, "text" | "wish"> {
    const forLadder = this.#setting.world.random.chance(0.5);
    return forLadder
      ? { text: `top ${poison}`, wish: { type: "top" } }
      : { text: `${poison} hello`, wish: { type: "nonsense" } };
  }

  /** Delivers a message until there is a reply, and sometimes again afterwards. */
  async #say(talker: Talker, message: Message): Promise<void> {
    const { random } = this.#setting.world;
    this.#remember(message);
    const copies = random.chance(0.4) ? 0 : random.between(1, 4);
    for (let copy = 0; copy < copies; copy++) void this.#bringLater(message);
    // Some people give up, so nobody knows whether the message was received.
    const isPatient = random.chance(0.9);
    if (isPatient) this.#unanswered.add(message);
    await this.#insist(talker, message, isPatient ? Number.POSITIVE_INFINITY : random.between(0, 2));
    this.#unanswered.delete(message);
  }

  async #insist(talker: Talker, message: Message, triesMax: number): Promise<void> {
    const { world, faults, network } = this.#setting;
    for (let tries = 0; tries < triesMax; tries++) {
      const answer = await network.send({ type: "say", message });
      if (answer?.type === "replied") learn(talker, message, answer.reply);
      const isOver = answer?.type === "replied" || (answer?.type === "refused" && !answer.refusal.retryable);
      if (isOver) return;
      await world.pause(world.random.next() * 300, "waits to say it again");
      faults.count("retry");
    }
  }

  async #bringLater(message: Message): Promise<void> {
    const { world, network } = this.#setting;
    await world.pause(world.random.next() * world.random.pick(latenessMs), "a message comes again");
    await network.send({ type: "say", message });
  }

  #remember(message: Message): void {
    this.#past.push(message);
    if (this.#past.length > remembered) this.#past.shift();
  }
}

function learn(talker: Talker, { wish }: Message, reply: string): void {
  if (wish.type === "nick") talker.hasName ||= /^(Hello, |You are |Your nickname is )/.test(reply);
  if (wish.type === "quit") talker.hasName = false;
}
