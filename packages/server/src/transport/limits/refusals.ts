import type { Refusal } from "@openseat/kernel";

export function tooManyFromAddress(what: string, retryAfterSeconds: number): Refusal {
  const message = `Too many ${what} from this network just now. Please try again in ${inSeconds(retryAfterSeconds)}.`;
  return { code: "limit.address", message, retryable: true, retryAfterSeconds };
}

export function tooManyByPerson(retryAfterSeconds: number): Refusal {
  const message = `You have sent a lot just now. Please try again in ${inSeconds(retryAfterSeconds)}.`;
  return { code: "limit.person", message, retryable: true, retryAfterSeconds };
}

const hourSeconds = 3_600;

/** Not worth asking again soon: a room has to end first. */
export function tooManyRooms(max: number): Refusal {
  const message = `You have ${max} rooms that have not ended, the most that one person may have. End a game of yours first; unused rooms end by themselves after a week.`;
  return { code: "limit.rooms", message, data: { max }, retryAfterSeconds: hourSeconds };
}

function inSeconds(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "a second" : `${seconds} seconds`;
}
