import * as words from "../chat/words.ts";
import type { Effect } from "../decider.ts";
import type { PersonId } from "../values.ts";
import type { DirectoryEvent } from "./events.ts";
import { noticesIn, noticesMaxAt } from "./notices.ts";
import { type Directory, isOverheard, isStopped } from "./state.ts";

type MakeText = (isOverheard: boolean) => string;

/** The notices and replies of one entry. Each address gets one message. */
export class Telling {
  readonly #directory: Directory;
  readonly #told = new Map<string, string[]>();
  /** Notices of this entry that are still to come. The directory has already counted all of them. */
  readonly #unaskedLeft = new Map<PersonId, number>();

  constructor(directory: Directory, events: readonly DirectoryEvent[]) {
    this.#directory = directory;
    for (const { to } of events.flatMap(noticesIn))
      this.#unaskedLeft.set(to, (this.#unaskedLeft.get(to) ?? 0) + 1);
  }

  tell(person: PersonId, makeText: MakeText): void {
    const known = this.#directory.people.get(person);
    if (!known) return;
    const { home, nickname } = known;
    if (isStopped(this.#directory, home)) return;
    const isHeard = isOverheard(this.#directory, home);
    const text = makeText(isHeard);
    // In a group, the text must say whom it is for.
    this.#told.set(home, [...(this.#told.get(home) ?? []), isHeard ? `${nickname}: ${text}` : text]);
  }

  /** In the order of `noticesIn`. The last notice of the hour says that the limit is reached. */
  tellUnasked(person: PersonId, makeText: MakeText): void {
    const left = this.#unaskedLeft.get(person)! - 1;
    this.#unaskedLeft.set(person, left);
    const nth = (this.#directory.notices.get(person)?.count ?? 0) - left;
    const max = noticesMaxAt(this.#directory.people.get(person)?.home ?? "");
    if (nth === max) this.tell(person, () => words.enough);
    else if (nth < max) this.tell(person, makeText);
  }

  get effects(): Effect[] {
    return Array.from(this.#told, ([to, texts]) => ({ to, body: { text: texts.join("\n") } }));
  }
}
