import type { FastifyInstance } from "fastify";
import type { Conversations } from "../../../app/chat/conversations.ts";
import type { DeadLetters } from "../../../app/chat/dead-letters.ts";
import type { Groups } from "../../../app/chat/groups.ts";
import type { WebChat } from "../../../app/chat/web-chat.ts";
import type { Duels } from "../../../app/people/duels.ts";
import type { People } from "../../../app/people/people.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { duelRoutes } from "../people/duel-routes.ts";
import { peopleRoutes } from "../people/people-routes.ts";
import { chatRoutes } from "./chat-routes.ts";
import { deadLetterRoutes } from "./dead-letter-routes.ts";
import { groupRoutes } from "./group-routes.ts";

export interface TalkDeps {
  readonly people: People;
  readonly duels: Duels;
  readonly webChat: WebChat;
  readonly conversations: Conversations;
  readonly groups: Groups;
  readonly deadLetters: DeadLetters;
}

export function talkRoutes(app: FastifyInstance, talk: TalkDeps, budgets: WriteBudgets): void {
  peopleRoutes(app, talk.people);
  duelRoutes(app, talk.duels);
  chatRoutes(app, talk.webChat, talk.conversations, budgets);
  groupRoutes(app, talk.groups);
  deadLetterRoutes(app, talk.deadLetters);
}
