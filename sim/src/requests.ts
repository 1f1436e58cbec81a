import type { GameCommand, GameEvent, GameTerms, Refusal } from "@openseat/kernel";
import type { Entry, Listed, StreamName } from "@openseat/server";
import type { View } from "./view.ts";

/** Asks for a change. */
export interface Ask {
  readonly type: "ask";
  readonly stream: StreamName;
  readonly by: string;
  readonly key: string | undefined;
  readonly command: GameCommand;
}

/** Looks at a game as the person sees it, with all that keeps them from joining (GM5). */
export interface Look {
  readonly type: "look";
  readonly stream: StreamName;
  readonly by: string;
}

interface List {
  readonly type: "list";
}

export type Request = Ask | Look | List;

export type Answer =
  | {
      readonly type: "done";
      readonly entry: Entry<GameEvent>;
      readonly terms: GameTerms;
      readonly replayed: boolean;
    }
  | { readonly type: "refused"; readonly refusal: Refusal }
  | { readonly type: "seen"; readonly version: number; readonly view: View | null }
  | { readonly type: "listed"; readonly games: readonly Listed[] };

export function inWords(request: Request): string {
  if (request.type === "list") return "list";
  if (request.type === "look") return `${request.by} looks at ${request.stream}`;
  const { by, stream, key, command } = request;
  return `${by} ${command.type} ${stream}${key === undefined ? "" : ` key ${key}`}`;
}

export function answerInWords(answer: Answer): string {
  switch (answer.type) {
    case "done":
      return `${answer.replayed ? "replayed" : "done"} v${answer.entry.version}`;
    case "refused":
      return `refused ${answer.refusal.code}`;
    case "seen":
      return `seen v${answer.version} ${answer.view?.status ?? "nothing"}`;
    case "listed":
      return `listed ${answer.games.length}`;
  }
}
