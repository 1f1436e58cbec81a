import type { Effect } from "../decider.ts";
import type { LadderEvent } from "./events.ts";

/** There is one: a nickname can only be had once if one decides who has it. */
const theDirectory = "directory/main";

/** CH7: what is said in chats about the ladder. Only the directory knows where somebody can be reached who did not ask. */
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
