import type { Effect } from "../decider.ts";
import type { LadderEvent } from "./events.ts";

/** There is one directory, because only one place can decide who owns a nickname. */
const theDirectory = "directory/main";

/** CH7: chat replies and notices. They go through the directory, which alone knows where people can be reached. */
export function effectsOf(event: LadderEvent): Effect[] {
  if (event.type !== "answered") return [];
  const { to, said, reply: text, tells } = event;
  const effects: Effect[] = to === null ? [] : [{ to, body: { said, text } }];
  if (tells) {
    const { person: tell, ...told } = tells;
    effects.push({ to: theDirectory, body: { tell, ...told } });
  }
  return effects;
}
