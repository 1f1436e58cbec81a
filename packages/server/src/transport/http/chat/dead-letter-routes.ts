import {
  type DeadLetter,
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
import type { DeadLetters, DeadLetter as Stored } from "../../../host/outbox/dead-letters.ts";
import { iso } from "../../../views/times.ts";
import { answering, failure, success } from "../envelope.ts";
import { NoBody, pageOf, schema } from "../schemas.ts";

const params = Type.Object({ number: DeliveryNumber });
/** More by one request would keep the operator waiting. */
const resentAtOnceMax = 1_000;

/** CH7: what could not be delivered is seen by operators, and sent again or thrown away when they say so. */
export function deadLetterRoutes(
  app: FastifyInstance,
  letters: Pick<DeadLetters, "list" | "resend" | "resendAll" | "discard">,
): void {
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
      const found = await letters.list(cursor, limit + 1);
      const page = found.slice(0, limit);
      const nextCursor = found.length > limit ? String(page[page.length - 1].number) : null;
      const deadLetters = page.map(deadLetterView);
      return success(200, "What could not be delivered, the newest first.", { deadLetters, nextCursor });
    }),
  );

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
    answering(async (request) => {
      const resent = await letters.resend(Number(request.params.number));
      if ("refusal" in resent) return failure(resent.refusal);
      return success(200, "It is on its way again.", { number: String(resent.number) });
    }),
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
      const resent = await letters.resendAll(request.body.to, resentAtOnceMax);
      return success(200, `${resent} are on their way again.`, { resent });
    }),
  );

  app.post<{ Params: { number: string } }>(
    "/api/v1/chat/dead-letters/:number/discard",
    {
      config: { access: ["operator"] },
      schema: schema("Throw away something that was set aside", { params, body: NoBody }, 200, Discarded),
    },
    answering(async (request) => {
      const discarded = await letters.discard(Number(request.params.number));
      if ("refusal" in discarded) return failure(discarded.refusal);
      return success(200, "It is thrown away.", { number: String(discarded.number) });
    }),
  );
}

function deadLetterView({ number, to, from, body, reason, setAsideAt }: Stored): DeadLetter {
  return {
    ...{ number: String(number), to, from, reason },
    text: typeof body.text === "string" ? body.text : null,
    setAsideAt: setAsideAt === undefined ? null : iso(setAsideAt),
  };
}
