import { type ConversationNumber, type Directory, groupsBefore, ladderNotFound } from "@openseat/kernel";
import type { ChatGroupList, ChatGroupOnly } from "@openseat/protocol";
import type { TheDirectory } from "../directory.ts";
import type { Identity } from "../identity.ts";
import type { LadderStreams } from "../ladders/ladders.ts";
import { type Result, refused } from "../result.ts";

interface GroupQuery {
  /** The number of the last group of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Which ladder a group's chat is about, for operators. */
export class Groups {
  readonly #directory: TheDirectory;
  readonly #ladders: LadderStreams;

  constructor(directory: TheDirectory, ladders: LadderStreams) {
    this.#directory = directory;
    this.#ladders = ladders;
  }

  list({ before = Number.POSITIVE_INFINITY, limit }: GroupQuery): Promise<Result<ChatGroupList>> {
    return this.#directory.read((known) => {
      const page = groupsBefore(known, before, limit + 1);
      const groups = page.slice(0, limit).map(([number]) => groupView(known!, number));
      const nextCursor = page.length > limit ? groups[groups.length - 1].number : null;
      return { groups, nextCursor };
    });
  }

  async link(
    { by }: Identity,
    conversation: ConversationNumber,
    ladder: string,
    key?: string,
  ): Promise<Result<ChatGroupOnly>> {
    const found = await this.#ladders.read(ladder, (state) => state !== undefined);
    if ("refusal" in found) return found;
    if (!found.value) return refused(ladderNotFound);
    const outcome = await this.#directory.ask({ type: "link", conversation, ladder }, by, key);
    if ("refusal" in outcome) return outcome;
    const { state, replayed } = outcome;
    return { value: { group: { ...groupView(state, conversation), ladder } }, replayed };
  }
}

function groupView({ conversations }: Directory, number: ConversationNumber) {
  const { channel = "", title = "", ladder = null } = conversations.get(number) ?? {};
  return { number: String(number), channel, title: title ?? "", ladder };
}
