import { limits } from "../limits.ts";
import { type Directory, hasPage, hourOf, personKnown, senderOf } from "./directory.ts";

/** LM6: how many notices a person may cause per hour. Call it once per notice of an entry, in order. */
export function budgetIn(directory: Directory): (by: string | undefined, to: string) => boolean {
  const { sent, at } = directory;
  const notices = sent.hour === hourOf(at) ? [...sent.notices] : [];
  return (by, to) => {
    if (by === undefined || !personKnown(directory, to)) return true;
    const sender = senderOf(directory, by);
    const own = notices.filter((each) => each.by === sender);
    const toSame = own.filter((each) => each.to === to).length;
    const isTooOften = toSame >= limits.noticesOfPair && !hasPage(directory, to);
    if (own.length >= limits.noticesFromOne || isTooOften) return false;
    notices.push({ by: sender, to });
    return true;
  };
}
