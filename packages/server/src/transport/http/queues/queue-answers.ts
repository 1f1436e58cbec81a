import type { Position, PositionOnly } from "@openseat/protocol";
import type { Entered } from "../../../app/queues/positions.ts";
import type { Switched } from "../../../app/queues/queues.ts";
import type { Claimed } from "../../../app/queues/sessions.ts";
import type { Result, SoonResult } from "../../../app/result.ts";
import { type Answer, answerOf, failure, success } from "../envelope.ts";

/** The responses of waiting rooms, the same over HTTP and WebSocket. */
export const queueAnswers = {
  entered: (result: SoonResult<Entered>): Answer | Promise<Answer> => soon(result, entered),
  position: (result: SoonResult<PositionOnly>): Answer | Promise<Answer> =>
    soon(result, (shown) => answerOf(shown, 200, ({ position }) => positionText(position))),
  claimed,
  switched,
} as const;

/** Avoids a promise if possible: it would double the cost of a hot read. */
function soon<Value>(
  result: SoonResult<Value>,
  answer: (result: Result<Value>) => Answer,
): Answer | Promise<Answer> {
  return result instanceof Promise ? result.then(answer) : answer(result);
}

function entered(result: Result<Entered>): Answer {
  if ("refusal" in result) return failure(result.refusal);
  const { position, isNew } = result.value;
  const answer = success(isNew ? 201 : 200, positionText(position), { position }, result.replayed);
  return isNew ? { ...answer, location: `/api/v1/positions/${position.id}` } : answer;
}

function claimed(result: Result<Claimed>): Answer {
  if ("refusal" in result) return failure(result.refusal);
  const { session, isNew } = result.value;
  const answer = success(isNew ? 201 : 200, "You are in.", { session }, result.replayed);
  return isNew ? { ...answer, location: `/api/v1/sessions/${session.id}` } : answer;
}

/** AD5: repeating the current state is no error. */
function switched(result: Result<Switched>, changed: string, unchanged: string): Answer {
  if ("refusal" in result) return failure(result.refusal);
  const { queue, hasChanged } = result.value;
  return success(200, hasChanged ? changed : unchanged, { queue }, result.replayed);
}

const texts = {
  ADMITTED: "It is your turn.",
  ACTIVE: "You are in.",
  COMPLETED: "This visit is completed.",
  LEFT: "This place was given up.",
  EXPIRED: "This place has expired.",
} as const;

function positionText({ status, position, reason }: Position): string {
  if (reason === "room_ended") return "This waiting room has ended.";
  return status === "WAITING" ? ahead(position - 1) : texts[status];
}

function ahead(people: number): string {
  if (people === 0) return "You are next.";
  return people === 1 ? "1 person is ahead of you." : `${people} people are ahead of you.`;
}
