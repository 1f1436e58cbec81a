import type { Refusal } from "@openseat/kernel";

export function tooManyFromAddress(what: string, retryAfterSeconds: number): Refusal {
  const message = `Too many ${what} from this network just now. Please try again in ${inSeconds(retryAfterSeconds)}.`;
  return { code: "limit.address", message, retryable: true, retryAfterSeconds };
}

export function tooManyByPerson(retryAfterSeconds: number): Refusal {
  const message = `You have sent too many requests. Please try again in ${inSeconds(retryAfterSeconds)}.`;
  return { code: "limit.person", message, retryable: true, retryAfterSeconds };
}

function inSeconds(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "a second" : `${seconds} seconds`;
}
