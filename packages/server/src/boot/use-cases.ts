import type { PersonId } from "@openseat/kernel";
import { Arenas } from "../app/arenas/arenas.ts";
import { Matches } from "../app/arenas/matches.ts";
import type { Channel } from "../app/chat/channel.ts";
import { Chat, isChatLadder, isMadeForGroup } from "../app/chat/chat.ts";
import { Conversations } from "../app/chat/conversations.ts";
import { DeadLetters } from "../app/chat/dead-letters.ts";
import { Groups } from "../app/chat/groups.ts";
import { WebChat } from "../app/chat/web-chat.ts";
import { TheDirectory } from "../app/directory.ts";
import { Games } from "../app/games/games.ts";
import { LadderBook } from "../app/ladders/ladder-book.ts";
import { LadderExports } from "../app/ladders/ladder-exports.ts";
import { LadderImports } from "../app/ladders/ladder-imports.ts";
import { Ladders, type LaddersDeps } from "../app/ladders/ladders.ts";
import { NetworkHashes } from "../app/network-hashes.ts";
import { Duels } from "../app/people/duels.ts";
import { People } from "../app/people/people.ts";
import { AdmissionProofs } from "../app/queues/admission-proofs.ts";
import { waitingRooms } from "../app/queues/waiting-rooms.ts";
import { RoomQuota } from "../app/rooms/room-quota.ts";
import type { RoomCreation } from "../app/rooms/rooms.ts";
import type { Clock } from "../clock.ts";
import { isDemoRoom } from "../demo/demo-rooms.ts";
import type { Host } from "../host/host.ts";
import type { LadderStore } from "../log/ladder-store.ts";
import { TimeSlices } from "../scheduling/time-slices.ts";
import type { LadderUseCases } from "../transport/http/ladders/ladder-routes.ts";
import { EnterLimits } from "../transport/limits/enter-limits.ts";
import { exemptions } from "../transport/limits/exemptions.ts";
import type { Foundation } from "./foundation.ts";
import type { AllStreams, RunningHost } from "./run-host.ts";

export type UseCases = ReturnType<typeof useCasesOf>;

/** All use cases, each with the streams that it needs. */
export function useCasesOf(foundation: Foundation, running: RunningHost, channels: readonly Channel[]) {
  const { config, clock, secrets, noteFault } = foundation;
  const { host, streams, pulses } = running;
  const { guestSecret } = secrets;
  const { chatLadder } = config;
  const now = () => clock.now();
  const networks = new NetworkHashes(guestSecret);
  const proofs = new AdmissionProofs(foundation.ring, config.publicUrl ?? "openseat");
  const talk = talkOf(
    { streams, host, networks },
    {
      usualLadder: chatLadder,
      idSecret: guestSecret,
      onFault: (error) => noteFault(error, "a message could not be handled"),
    },
  );
  const slices = new TimeSlices(clock);
  const isReserved: RoomCreation["isReserved"] = (kind, id) =>
    isDemoRoom(kind, id) || (kind === "ladder" && isChatLadder(id, chatLadder, channels));
  const quota = new RoomQuota({
    ...config,
    countLive: (creator, limit) => host.countLive({ creator, kinds: ["game", "arena", "ladder"], limit }),
  });
  const creation = { idSecret: guestSecret, isReserved, quota };
  const enterLimit = new EnterLimits({ ...config, isExempt: exemptions(config) }, now);
  return {
    games: new Games(streams.games, creation),
    arenas: new Arenas(streams.arenas, streams.ladders, creation),
    matches: new Matches(streams.arenas, slices),
    ladders: laddersOf({
      streams: streams.ladders,
      records: foundation.ladders,
      ...{ clock, slices, creation, networks },
      nicknameOf: (person: PersonId) => talk.people.nicknameOf(person),
      isUnlisted: (id, creator) => isMadeForGroup(id, creator, chatLadder),
    }),
    waiting: waitingRooms({
      streams: streams.queues,
      ...{ proofs, pulses, enterLimit, networks, now },
      secret: guestSecret,
    }),
    ...{ proofs, talk },
  };
}

interface LadderDeps extends LaddersDeps {
  readonly records: LadderStore;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

export function laddersOf(deps: LadderDeps): LadderUseCases {
  const { streams, records, clock, slices } = deps;
  const book = new LadderBook(streams, records);
  return {
    ladders: new Ladders(deps),
    book,
    imports: new LadderImports({ streams, clock, slices }),
    exports: new LadderExports(book, slices),
  };
}

interface TalkOptions {
  /** The default ladder. */
  readonly usualLadder: string;
  readonly idSecret: string;
  readonly onFault: (error: unknown) => void;
}

interface TalkDeps {
  readonly streams: Pick<AllStreams, "directory" | "conversations" | "ladders">;
  readonly host: Pick<Host, "deadLetters">;
  readonly networks: NetworkHashes;
}

export type Talk = ReturnType<typeof talkOf>;

/** The use cases of people who talk: names, duels and messages. */
export function talkOf({ streams, host, networks }: TalkDeps, options: TalkOptions) {
  const { ladders } = streams;
  const directory = new TheDirectory(streams.directory);
  const chat = new Chat({ directory, ladders, ...options });
  return {
    ...{ directory, chat },
    webChat: new WebChat(chat, networks),
    conversations: new Conversations(streams.conversations),
    duels: new Duels(directory, ladders, networks),
    people: new People(directory, networks),
    groups: new Groups(directory, ladders),
    deadLetters: new DeadLetters(host.deadLetters),
  };
}
