import { seatIn } from "../duel/duel.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis, PersonId } from "../values.ts";
import { type ConversationNumber, type Directory, directoryLimits } from "./directory.ts";
import { dropped } from "./dueling.ts";
import type { DuelDropped, Forgotten, Named } from "./events.ts";
import { folded, nicknameFrom } from "./nicknames.ts";
import { alreadyCalled, badNickname, directoryFull, nicknameMissing, nicknameTaken } from "./refusals.ts";

/** NM1–NM3. */
export function takeName(
  { people, nicknames }: Directory,
  who: { readonly person: PersonId; readonly home: string; readonly account: string | null },
  typed: string,
): { readonly events: readonly [Named] } | { readonly refusal: Refusal } {
  const nickname = nicknameFrom(typed);
  if (nickname === undefined) return { refusal: badNickname };
  const was = people.get(who.person)?.nickname ?? null;
  if (was === nickname) return { refusal: alreadyCalled(nickname) };
  const fold = folded(nickname);
  const owner = nicknames.get(fold);
  if (owner !== undefined && owner !== who.person) return { refusal: nicknameTaken(nickname) };
  if (was === null && people.size >= directoryLimits.peopleMax) return { refusal: directoryFull };
  return { events: [{ type: "named", ...who, nickname, fold, was }] };
}

/** CH5: the nickname is free, open duels are dropped, and of the person nothing is left but what was played. */
export function quit(
  directory: Directory,
  person: PersonId,
  conversation: ConversationNumber | null,
  now: Millis,
): { readonly events: readonly (DuelDropped | Forgotten)[] } | { readonly refusal: Refusal } {
  const { people, duels } = directory;
  const known = people.get(person);
  if (!known) return { refusal: nicknameMissing };
  const forgetAt = (now + directoryLimits.forgetAfterMs) as Millis;
  const drops = duels.openOf(person).map((duel) => dropped(directory, duel, "gone", seatIn(duel, person)!));
  const { ladders } = known;
  return { events: [...drops, { type: "forgotten", person, ladders, conversation, forgetAt }] };
}
