import * as words from "../chat/words.ts";
import type { Effect } from "../decider.ts";
import type { PersonId } from "../values.ts";
import type { DirectoryEvent } from "./events.ts";
import { noticesIn, noticesMaxAt } from "./notices.ts";
import { type Directory, hasReaders, isStopped } from "./state.ts";

type MakeText = (hasReaders: boolean) => string;

/** The notices and replies of one entry. Each address gets one message. */
export class Notifications {
  readonly #directory: Directory;
  readonly #texts = new Map<string, string[]>();
  /** Notices of this entry that are still to come. The directory has already counted all of them. */
  readonly #unsolicitedLeft = new Map<PersonId, number>();

  constructor(directory: Directory, events: readonly DirectoryEvent[]) {
    this.#directory = directory;
    for (const { to } of events.flatMap(noticesIn))
      this.#unsolicitedLeft.set(to, (this.#unsolicitedLeft.get(to) ?? 0) + 1);
  }

  add(person: PersonId, makeText: MakeText): void {
    const known = this.#directory.people.get(person);
    if (!known) return;
    const { home, nickname } = known;
    if (isStopped(this.#directory, home)) return;
    const isGroup = hasReaders(this.#directory, home);
    const text = makeText(isGroup);
    // In a group, the text must say whom it is for.
    this.#texts.set(home, [...(this.#texts.get(home) ?? []), isGroup ? `${nickname}: ${text}` : text]);
  }

  /** In the order of `noticesIn`. The last notice of the hour says that the limit is reached. */
  addUnsolicited(person: PersonId, makeText: MakeText): void {
    const left = this.#unsolicitedLeft.get(person)! - 1;
    this.#unsolicitedLeft.set(person, left);
    const nth = (this.#directory.notices.get(person)?.count ?? 0) - left;
    const max = noticesMaxAt(this.#directory.people.get(person)?.home ?? "");
    if (nth === max) this.add(person, () => words.enough);
    else if (nth < max) this.add(person, makeText);
  }

  get effects(): Effect[] {
    return Array.from(this.#texts, ([to, texts]) => ({ to, body: { text: texts.join("\n") } }));
  }
}
