import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { isSameText } from "../crypto/hs256.ts";
import { send, sendRefusal, success } from "../transport/http/envelope.ts";

/** More than the longest message in reply to the longest message. */
const updateBytesMax = 1024 * 1024;

const secretHeader = "x-telegram-bot-api-secret-token";

const foreign: Refusal = {
  code: "auth.invalid",
  message: "Only Telegram may call this address, with its webhook secret.",
};

/** Telegram adds fields at any time. */
const Update = Type.Object({});

/** Telegram repeats updates that get no success response. `take` returns why one has to be sent again. */
export function webhookRoute(
  app: FastifyInstance,
  secret: string,
  take: (update: unknown) => Promise<Refusal | undefined>,
): void {
  app.post(
    "/api/v1/chat/telegram",
    {
      config: { access: "public", cost: 0, isBegun: true },
      bodyLimit: updateBytesMax,
      // Checked before the body is read.
      onRequest: async ({ headers }, reply) =>
        isSameText(String(headers[secretHeader]), secret) ? undefined : sendRefusal(reply, foreign),
      schema: { hide: true, body: Update },
    },
    async ({ body }, reply) => {
      const refusal = await take(body);
      if (!refusal) return send(reply, success(200, "ChannelReply.", {}));
      const { message, retryAfterSeconds } = refusal;
      const busy: Refusal = { code: "server.busy", message, retryable: true };
      return sendRefusal(reply, retryAfterSeconds === undefined ? busy : { ...busy, retryAfterSeconds });
    },
  );
}
