import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { isSameText } from "../crypto/hs256.ts";
import { send, sendRefusal, success } from "../transport/http/envelope.ts";
import { schema } from "../transport/http/schemas.ts";

/** More than the longest message in reply to the longest message comes to. */
const updateBytesMax = 1024 * 1024;

const secretHeader = "x-telegram-bot-api-secret-token";

const foreign: Refusal = {
  code: "auth.invalid",
  message: "This is for Telegram alone, with the secret it was given.",
};

/** Telegram adds fields as it likes; what of them is of use is looked at afterwards. */
const Update = Type.Object({});

export interface WebhookParts {
  readonly secret: string;
  /** Why it has to come again; undefined when it need not. */
  readonly take: (update: unknown) => Promise<Refusal | undefined>;
}

/** Where Telegram brings updates. Whatever is not answered with success it brings again. */
export function webhookRoute(app: FastifyInstance, { secret, take }: WebhookParts): void {
  app.post(
    "/api/v1/chat/telegram",
    {
      config: { access: "public", cost: 0, isBegun: true },
      bodyLimit: updateBytesMax,
      // Before the body is read: nobody else has a reason to send any.
      onRequest: async ({ headers }, reply) =>
        isSameText(String(headers[secretHeader]), secret) ? undefined : sendRefusal(reply, foreign),
      schema: schema("Bring an update of Telegram, as Telegram", { body: Update }, 200, Type.Object({})),
    },
    async ({ body }, reply) => {
      const refusal = await take(body);
      if (!refusal) return send(reply, success(200, "Heard.", {}));
      const { message, retryAfterSeconds } = refusal;
      const busy: Refusal = { code: "server.busy", message, retryable: true };
      return sendRefusal(reply, retryAfterSeconds === undefined ? busy : { ...busy, retryAfterSeconds });
    },
  );
}
