import {
  DeadLetterList,
  DeadLetterQuery,
  DeliveryNumber,
  Discarded,
  ResendAll,
  Resent,
  ResentAll,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { DeadLetters } from "../../../app/chat/dead-letters.ts";
import { answering, answerOf } from "../envelope.ts";
import { NoBody, pageOf, schema } from "../schemas.ts";

const params = Type.Object({ number: DeliveryNumber });
export function deadLetterRoutes(app: FastifyInstance, letters: DeadLetters): void {
  app.get<{ Querystring: { cursor?: string; limit: number } }>(
    "/api/v1/chat/dead-letters",
    {
      config: { access: ["operator"] },
      schema: schema(
        "List what could not be delivered, the newest first",
        { querystring: DeadLetterQuery },
        200,
        DeadLetterList,
      ),
    },
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      const page = await letters.list(cursor, limit);
      return answerOf(page, 200, "What could not be delivered, the newest first.");
    }),
  );

  resendRoutes(app, letters);

  app.post<{ Params: { number: string } }>(
    "/api/v1/chat/dead-letters/:number/discard",
    {
      config: { access: ["operator"] },
      schema: schema("Throw away something that was set aside", { params, body: NoBody }, 200, Discarded),
    },
    answering(async (request) =>
      answerOf(await letters.discard(Number(request.params.number)), 200, "It is thrown away."),
    ),
  );
}

function resendRoutes(app: FastifyInstance, letters: DeadLetters): void {
  app.post<{ Params: { number: string } }>(
    "/api/v1/chat/dead-letters/:number/resend",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Send something again that was set aside; it gets a new number",
        { params, body: NoBody },
        200,
        Resent,
      ),
    },
    answering(async (request) =>
      answerOf(await letters.resend(Number(request.params.number)), 200, "It is on its way again."),
    ),
  );

  app.post<{ Body: { to: string } }>(
    "/api/v1/chat/dead-letters/resend",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Send again what was set aside for a channel, the latest thousand in their order",
        { body: ResendAll },
        200,
        ResentAll,
      ),
    },
    answering(async (request) => {
      const sent = await letters.resendAll(request.body.to);
      return answerOf(sent, 200, ({ resent }) => `${resent} are on their way again.`);
    }),
  );
}
