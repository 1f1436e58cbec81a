import type { Refusal } from "@openseat/kernel";
import { LogUnavailable } from "../log/log.ts";
import { LogDamaged, RoomUnsupported } from "./stream/stream-state.ts";

export function refusalFor(error: unknown): Refusal {
  if (error instanceof LogUnavailable) {
    return {
      code: "log.unavailable",
      message:
        "The change could not be saved. Please try again in a moment, with the same idempotency key if you sent one.",
      retryable: true,
    };
  }
  if (error instanceof LogDamaged) {
    return {
      code: "log.damaged",
      message: "This room cannot be used because its data is damaged. Other rooms work.",
    };
  }
  if (error instanceof RoomUnsupported) {
    return {
      code: "rules.missing",
      message: `This server does not know the rules of ${error.game}. All other rooms work.`,
      data: { game: error.game },
    };
  }
  return { code: "server.fault", message: "Something went wrong on our side. The error was logged." };
}

export const stopping: Refusal = {
  code: "server.stopping",
  message: "The server is restarting. Please try again in a moment.",
  retryable: true,
};
