import { folded, nicknameFrom } from "../chat/nicknames.ts";
import { seatIn } from "../duel/duel.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis, PersonId } from "../values.ts";
import { dropped } from "./dueling.ts";
import type { DuelDropped, Forgotten, Named } from "./events.ts";
import { directoryLimits } from "./limits.ts";
import { NoticeBudget } from "./notices.ts";
import { alreadyCalled, badNickname, directoryFull, nicknameMissing, nicknameTaken } from "./refusals.ts";
import type { ConversationNumber, Directory } from "./state.ts";

/** NM1–NM3. */
export function takeName(
  directory: Directory,
  who: Pick<Named, "person" | "home" | "account" | "network">,
  typed: string,
  now: Millis,
): { readonly events: readonly [Named, ...(DuelDropped | Forgotten)[]] } | { readonly refusal: Refusal } {
  const { people, nicknames, evictable } = directory;
  const nickname = nicknameFrom(typed);
  if (nickname === undefined) return { refusal: badNickname };
  const was = people.get(who.person)?.nickname ?? null;
  if (was === nickname) return { refusal: alreadyCalled(nickname) };
  const fold = folded(nickname);
  const owner = nicknames.get(fold);
  if (owner !== undefined && owner !== who.person) return { refusal: nicknameTaken(nickname) };
  const named: Named = { type: "named", ...who, nickname, fold, was };
  if (was !== null || people.size < directoryLimits.peopleMax) return { events: [named] };
  // LM6: without eviction, strangers could take all nicknames and lock newcomers out for good.
  const eviction = evictable.first === undefined ? undefined : quit(directory, evictable.first, null, now);
  if (eviction === undefined || "refusal" in eviction) return { refusal: directoryFull };
  return { events: [named, ...eviction.events] };
}

/** CH5: frees the nickname, drops open duels, and removes everything about the person except finished games. */
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
  const budget = new NoticeBudget(directory, now);
  const drops = duels
    .openOf(person)
    .map((duel) => dropped(directory, duel, { reason: "gone", by: seatIn(duel, person)! }, budget));
  const { ladders } = known;
  return { events: [...drops, { type: "forgotten", person, ladders, conversation, forgetAt }] };
}
