import type { Refusal } from "@openseat/kernel";
import { LogUnavailable } from "../log/log.ts";
import { LogDamaged, RoomUnsupported } from "./stream/stream-state.ts";

export function refusalFor(error: unknown): Refusal {
  if (error instanceof LogUnavailable) {
    return {
      code: "log.unavailable",
      message:
        "This cannot be kept safely just now. Please ask again in a moment, with the same key if you gave one.",
      retryable: true,
    };
  }
  if (error instanceof LogDamaged) {
    return {
      code: "log.damaged",
      message: "The record of this room is damaged. An operator has to look at it.",
    };
  }
  if (error instanceof RoomUnsupported) {
    return {
      code: "rules.missing",
      message: `This server does not know the rules of ${error.game}. All other rooms work.`,
      data: { game: error.game },
    };
  }
  return { code: "server.fault", message: "Something went wrong on our side. It has been noted." };
}

export const stopping: Refusal = {
  code: "server.stopping",
  message: "The server is restarting. Please try again in a moment.",
  retryable: true,
};
