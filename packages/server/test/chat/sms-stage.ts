import assert from "node:assert/strict";
import type { Refusal } from "@openseat/kernel";
import Fastify, { type FastifyInstance } from "fastify";
import type { Channel, ChannelReply, Incoming, MessageReceiver } from "../../src/app/chat/channel.ts";
import type { ChannelAdapter } from "../../src/channels/channel-adapter.ts";
import { sms } from "../../src/channels/sms.ts";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { TwilioStandIn } from "./twilio-stand-in.ts";

/** Records messages and gives the same reply to the same message, as the directory does. */
export class FakeReceiver implements MessageReceiver {
  /** Every delivered message, including repeats. */
  readonly brought: Incoming[] = [];
  /** The effects: each message once. */
  readonly effects: Incoming[] = [];
  reply: (message: Incoming) => string = ({ text }) => `${this.effects.length}. You said: ${text}`;
  /** While set, every message is refused. */
  refusal: Refusal | undefined;
  readonly #replies = new Map<string, string>();

  async receive(channel: Channel, message: Incoming): Promise<ChannelReply> {
    assert.equal(channel.name, "sms");
    this.brought.push(message);
    if (this.refusal !== undefined) return { refusal: this.refusal };
    const remembered = this.#replies.get(message.id);
    if (remembered !== undefined) return { reply: remembered };
    this.effects.push(message);
    const reply = this.reply(message);
    this.#replies.set(message.id, reply);
    return { reply };
  }

  moved(): Promise<ChannelReply> {
    throw new Error("A phone does not move.");
  }
}

/** The public address, as behind a proxy: different from where the server listens. */
export const webhookUrl = "https://play.example.com/seats/api/v1/chat/sms";

/** The channel between a stand-in for Twilio and a receiver that a test can inspect; no other part of the server. */
export class SmsStage {
  readonly twilio: TwilioStandIn;
  readonly channel: ChannelAdapter;
  readonly receiver = new FakeReceiver();
  readonly app: FastifyInstance;
  /** Server faults, which no request may cause. */
  readonly faults: unknown[] = [];
  url = "";

  private constructor(twilio: TwilioStandIn) {
    this.twilio = twilio;
    const { accountSid, authToken, number: from, url: apiRoot } = twilio;
    this.channel = sms({ accountSid, authToken, from, apiRoot, webhookUrl });
    this.app = Fastify();
    this.app.setValidatorCompiler(compileSchema);
    answerErrors(this.app, (error) => this.faults.push(error));
    this.channel.routes!(this.app, this.receiver);
    this.app.post("/elsewhere", async () => ({ taken: true }));
  }

  static async set(): Promise<SmsStage> {
    const stage = new SmsStage(await TwilioStandIn.start());
    stage.url = await stage.app.listen({ port: 0, host: "127.0.0.1" });
    stage.twilio.hookTo(stage.url, webhookUrl);
    return stage;
  }

  async clear(): Promise<void> {
    await this.twilio.stop();
    await this.app.close();
  }
}
