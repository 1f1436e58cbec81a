import { type ConversationNumber, type Directory, groupsBefore, ladderNotFound } from "@openseat/kernel";
import type { ChatGroupList, ChatGroupOnly } from "@openseat/protocol";
import type { TheDirectory } from "../directory.ts";
import type { Identity } from "../identity.ts";
import type { LadderStreams } from "../ladders/ladders.ts";
import { pageOf } from "../paging.ts";
import { type AsyncResult, answered, refused } from "../result.ts";

interface GroupQuery {
  /** The number of the last group of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** For operators: which ladder each group chat uses. */
export class Groups {
  readonly #directory: TheDirectory;
  readonly #ladders: LadderStreams;

  constructor(directory: TheDirectory, ladders: LadderStreams) {
    this.#directory = directory;
    this.#ladders = ladders;
  }

  list({ before = Number.POSITIVE_INFINITY, limit }: GroupQuery): AsyncResult<ChatGroupList> {
    return this.#directory.read((known) => {
      const found = groupsBefore(known, before, limit + 1);
      const { items, nextCursor } = pageOf(found, limit, ([number]) => number);
      return { groups: items.map(([number]) => groupView(known!, number)), nextCursor };
    });
  }

  async link(
    { by }: Identity,
    conversation: ConversationNumber,
    ladder: string,
    key?: string,
  ): AsyncResult<ChatGroupOnly> {
    const found = await this.#ladders.read(ladder, (state) => state !== undefined);
    if ("refusal" in found) return found;
    if (!found.value) return refused(ladderNotFound);
    const outcome = await this.#directory.ask({ type: "link", conversation, ladder }, by, key);
    return answered(outcome, ({ state }) => ({ group: { ...groupView(state, conversation), ladder } }));
  }
}

function groupView({ conversations }: Directory, number: ConversationNumber) {
  const { channel = "", title = "", ladder = null } = conversations.get(number) ?? {};
  return { number: String(number), channel, title: title ?? "", ladder };
}
