import type { Directory, DirectoryCommand, DirectoryEvent } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Channel, Ear } from "../../../app/chat/channel.ts";
import { Chat } from "../../../app/chat/chat.ts";
import { type ConversationStreams, Conversations } from "../../../app/chat/conversations.ts";
import { PacedEar, type PaceTerms } from "../../../app/chat/paced-ear.ts";
import { TheDirectory } from "../../../app/directory.ts";
import type { LadderStreams } from "../../../app/ladders/ladders.ts";
import type { NetworkHashes } from "../../../app/network-hashes.ts";
import { Duels } from "../../../app/people/duels.ts";
import { People } from "../../../app/people/people.ts";
import type { DeadLetters } from "../../../host/outbox/dead-letters.ts";
import type { Streams } from "../../../host/streams.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { duelRoutes } from "../people/duel-routes.ts";
import { peopleRoutes } from "../people/people-routes.ts";
import { chatRoutes } from "./chat-routes.ts";
import { deadLetterRoutes } from "./dead-letter-routes.ts";
import { groupRoutes } from "./group-routes.ts";

/** All that has to do with people who talk: names, duels, messages and the channels that bring them. */
export interface ChatParts {
  readonly chat: Chat;
  /** What channels bring messages to. */
  readonly ear: Ear;
  readonly directory: TheDirectory;
  readonly conversations: Conversations;
  readonly duels: Duels;
  readonly people: People;
  readonly channels: readonly Channel[];
  readonly ladders: LadderStreams;
  readonly deadLetters: DeadLetters;
  readonly networks: NetworkHashes;
}

interface ChatOptions {
  readonly directory: Streams<Directory, DirectoryCommand, DirectoryEvent>;
  readonly conversations: ConversationStreams;
  readonly ladders: LadderStreams;
  readonly channels: readonly Channel[];
  readonly deadLetters: DeadLetters;
  readonly usualLadder: string;
  readonly idSecret: string;
  readonly networks: NetworkHashes;
  readonly pace: PaceTerms;
  readonly onFault: (error: unknown) => void;
}

export function chatParts(options: ChatOptions): ChatParts {
  const { ladders, channels, deadLetters, usualLadder, idSecret, networks, pace, onFault } = options;
  const directory = new TheDirectory(options.directory);
  const chat = new Chat({ directory, ladders, usualLadder, idSecret, onFault });
  return {
    chat,
    ear: new PacedEar(chat, pace),
    directory,
    conversations: new Conversations(options.conversations),
    duels: new Duels(directory, ladders, networks),
    people: new People(directory, networks),
    ...{ channels, ladders, deadLetters, networks },
  };
}

export function talkRoutes(app: FastifyInstance, parts: ChatParts, budgets: WriteBudgets): void {
  const { ear, directory, duels, people, channels, ladders, deadLetters } = parts;
  peopleRoutes(app, people);
  duelRoutes(app, duels);
  chatRoutes(app, parts, budgets);
  groupRoutes(app, directory, ladders);
  deadLetterRoutes(app, deadLetters);
  for (const channel of channels) channel.routes?.(app, ear);
}
