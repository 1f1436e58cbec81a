import assert from "node:assert/strict";
import {
  type ConversationEvent,
  conversationDecider,
  type DirectoryEvent,
  directoryDecider,
  ladderDecider,
} from "@openseat/kernel";
import Fastify, { type FastifyInstance } from "fastify";
import type { Channel, ChannelReply } from "../../src/app/chat/channel.ts";
import { channelSendersOf } from "../../src/app/chat/channel-senders.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { type AllStreams, streamsOf } from "../../src/boot/run-host.ts";
import { type Talk, talkOf } from "../../src/boot/use-cases.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import type { Sending } from "../../src/host/outbox/channel-sender.ts";
import { entriesAfter } from "../../src/host/stream/entries.ts";
import type { Entry } from "../../src/log/entry.ts";
import { type Append, type AppendOutcome, LogUnavailable, type StreamName } from "../../src/log/log.ts";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import { Entrances } from "../../src/transport/auth/entrances.ts";
import { talkRoutes } from "../../src/transport/http/chat/talk-routes.ts";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { testAddresses } from "../support/addresses.ts";
import { HeldLog } from "../support/held-log.ts";
import type { Answer, Json } from "../support/http.ts";
import { gatekeeperOf, raisedBudgets } from "../support/limits.ts";
import { guardRoutes } from "../support/pipeline.ts";
import { answered, TestClock, turns, watched } from "../support/test-clock.ts";
import { issuer, issuerSecret, tokenOf } from "../support/tokens.ts";

/** A log that refuses the appends that a test selects. */
class PickyLog extends HeldLog {
  refuses: (append: Append) => boolean = () => false;

  override append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    if (!appends.some((append) => this.refuses(append))) return super.append(appends);
    return new Promise((_, reject) => setImmediate(() => reject(new LogUnavailable("The disk is full."))));
  }
}

/** A channel invented by the test. */
export class Pigeons implements Channel {
  readonly name: string;
  readonly replies: "returned" | "sent";
  /** The sent messages, as `place: text`. */
  readonly sent: string[] = [];
  outcome: Sending = "sent";

  constructor(name = "pigeon", replies: "returned" | "sent" = "sent") {
    this.name = name;
    this.replies = replies;
  }

  async send(place: string, text: string): Promise<Sending> {
    if (this.outcome === "sent") this.sent.push(`${place}: ${text}`);
    return this.outcome;
  }
}

const keys = { operatorKey: "operator_key_of_the_stage", serviceKey: "service_key_of_the_stage" } as const;

interface Given extends Partial<Pick<HostOptions, "deciders">> {
  readonly channels?: readonly Channel[];
}

let messages = 0;

/** An id that no message on any stage has had. */
const newId = () => `m${++messages}`;

/** All of the chat, on a log and a clock that the test controls. */
export class ChatStage {
  readonly log: PickyLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly streams: AllStreams;
  readonly parts: Talk;
  readonly app: FastifyInstance;
  readonly errors: unknown[] = [];

  constructor(
    { channels = [], deciders = {} }: Given = {},
    { log = new PickyLog(), clock = new TestClock() }: { log?: PickyLog; clock?: TestClock } = {},
  ) {
    this.log = log;
    this.clock = clock;
    const onFault = (error: unknown) => void this.errors.push(error);
    this.host = new Host({
      ...{ log, clock },
      deciders: {
        directory: directoryDecider,
        conversation: conversationDecider,
        ladder: ladderDecider,
        ...deciders,
      },
      senders: channelSendersOf(channels, () => this.parts.directory),
      onError: onFault,
    });
    this.streams = streamsOf(this.host);
    const networks = new NetworkHashes("a secret");
    const options = { usualLadder: "chat", idSecret: "a secret", onFault };
    this.parts = talkOf({ streams: this.streams, host: this.host, networks }, options);
    this.app = Fastify();
    this.app.setValidatorCompiler(compileSchema);
    answerErrors(this.app, onFault);
    this.app.decorateRequest("identity", null);
    identifyAddresses(this.app, testAddresses());
    const secrets = { guestSecret: "a secret of guests, long enough to be one", issuer, issuerSecret };
    const authenticator = new Authenticator({ ...keys, ...secrets, now: Date.now });
    guardRoutes(this.app, new Entrances(authenticator), gatekeeperOf());
    talkRoutes(this.app, this.parts, raisedBudgets());
    this.host.start();
  }

  /** Another stage on the same log, as after a crash: this one finishes nothing first. */
  another(given: Given = {}): ChatStage {
    return new ChatStage(given, this);
  }

  /** Sends a request of a person or of a role. */
  async ask(
    method: "GET" | "POST" | "PUT",
    url: string,
    by: string,
    body?: Json,
    key?: string,
  ): Promise<Answer> {
    const roles: Readonly<Record<string, string>> = { operator: keys.operatorKey, service: keys.serviceKey };
    const headers = {
      authorization: `Bearer ${roles[by] ?? tokenOf(by)}`,
      ...(key !== undefined && { "idempotency-key": key }),
    };
    const asked = this.app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    const answer = await answered(Promise.resolve(asked), `${method} ${url}`);
    const { statusCode: status, body: text } = answer;
    return { status, headers: answer.headers as Answer["headers"], text, body: JSON.parse(text) };
  }

  batch(messages: readonly Json[]): Promise<Answer> {
    return this.ask("POST", "/api/v1/chat/messages", "service", { messages });
  }

  /** A message of a person with a token. */
  say(person: string, text: string, id = newId()): Promise<ChannelReply> {
    return answered(this.parts.chat.receivePerson(person as never, { id, text }), `a reply to ${text}`);
  }

  /** The reply to a message. */
  async reply(person: string, text: string, id?: string): Promise<string> {
    const received = await this.say(person, text, id);
    assert.ok("reply" in received, JSON.stringify(received));
    return received.reply;
  }

  /** A message from a channel; `title` is that of a group. */
  async bring(
    channel: Channel,
    [sender, place, title]: readonly [string, string, string?],
    text: string,
    id = newId(),
  ): Promise<string> {
    const group = title === undefined ? {} : { group: { title } };
    const received = await answered(
      this.parts.chat.receive(channel, { id, sender, place, text, ...group }),
      text,
    );
    assert.ok("reply" in received, JSON.stringify(received));
    return received.reply;
  }

  /** Lets the outbox work without any time passing. */
  async settle(): Promise<void> {
    await turns(60);
  }

  async entries<Event>(stream: StreamName): Promise<Entry<Event>[]> {
    const entries: Entry<Event>[] = [];
    for await (const entry of entriesAfter<Event>(this.log.inner, stream, 0)) entries.push(entry);
    return entries;
  }

  /** The entries of the directory that are messages, by their keys. */
  async received(): Promise<string[]> {
    const entries = await this.entries<DirectoryEvent>("directory/main");
    return entries.flatMap(({ command, key }) => (command === "hear" ? [key!] : []));
  }

  /** The conversation of a person. */
  async lines(person: string): Promise<string[]> {
    const entries = await this.entries<ConversationEvent>(`conversation/${person}`);
    return entries.flatMap(({ events }) =>
      events.flatMap(({ lines }) => lines.map(({ by, text }) => `${by}: ${text}`)),
    );
  }

  async stop(): Promise<void> {
    await this.app.close();
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}

/** Stops the stage after the work, also on failure, and lets it write what it could not before. */
export async function onChatStage(given: Given, work: (stage: ChatStage) => Promise<void>): Promise<void> {
  const stage = new ChatStage(given);
  try {
    await work(stage);
  } finally {
    stage.log.refuses = () => false;
    await stage.stop();
  }
}
