import { newKey, OpenseatError } from "@openseat/client";
import { useCallback, useEffect, useReducer, useRef, useState } from "preact/hooks";
import { openseat } from "../ui/openseat.ts";
import { noTalk, type Talk, talkAfter } from "./talk.ts";

interface Talking {
  readonly talk: Talk;
  /** Why the conversation could not be loaded. */
  readonly problem: unknown;
  readonly say: (text: string, id?: string) => void;
}

/** The live conversation. Messages are sent one after the other, because each may depend on the one before. */
export function useTalk(): Talking {
  const [talk, dispatch] = useReducer(talkAfter, noTalk);
  const [problem, setProblem] = useState<unknown>(undefined);
  const before = useRef(Promise.resolve());
  useEffect(() => {
    const chat = openseat.chat;
    // Fetch as well, so that the conversation appears on networks that block live connections.
    chat.lines().then((lines) => dispatch({ type: "fetched", lines }), setProblem);
    return chat.watch(({ lines }) => dispatch({ type: "live", lines }), setProblem);
  }, []);
  const say = useCallback((text: string, id = newKey()) => {
    dispatch({ type: "saying", id, text, at: new Date().toISOString() });
    before.current = before.current.then(async () => {
      try {
        dispatch({ type: "answered", id, word: await openseat.chat.say(text, { messageId: id }) });
      } catch (error) {
        dispatch({ type: "failed", id, word: reasonIn(error) });
      }
    });
  }, []);
  return { talk, problem: talk.lines === undefined ? problem : undefined, say };
}

/** The server's message; empty if the server was not reached. */
function reasonIn(error: unknown): string {
  return error instanceof OpenseatError && error.status > 0 ? error.message : "";
}
