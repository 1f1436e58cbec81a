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
import { saying } from "../envelope.ts";
import { NoBody, pageOf, route } from "../schemas.ts";

const params = Type.Object({ number: DeliveryNumber });
const forOperators = { access: ["operator"] } as const;

export function deadLetterRoutes(app: FastifyInstance, letters: DeadLetters): void {
  app.get(
    "/api/v1/chat/dead-letters",
    route(forOperators, "listDeadLetters", DeadLetterList, {
      querystring: DeadLetterQuery,
    }),
    saying("Dead letters, newest first.", ({ query }) => {
      const { cursor, limit } = pageOf(query);
      return letters.list(cursor, limit);
    }),
  );

  app.post(
    "/api/v1/chat/dead-letters/:number/resend",
    route(forOperators, "resendDeadLetter", Resent, {
      params,
      body: NoBody,
    }),
    saying("The message is being sent again.", ({ params }) => letters.resend(Number(params.number))),
  );

  app.post(
    "/api/v1/chat/dead-letters/resend",
    route(forOperators, "resendDeadLetters", ResentAll, { body: ResendAll }),
    saying(
      ({ resent }: ResentAll) => `${resent} are being sent again.`,
      ({ body }) => letters.resendAll(body.to),
    ),
  );

  app.post(
    "/api/v1/chat/dead-letters/:number/discard",
    route(forOperators, "discardDeadLetter", Discarded, { params, body: NoBody }),
    saying("The message was discarded.", ({ params }) => letters.discard(Number(params.number))),
  );
}
