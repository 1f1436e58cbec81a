import type { Arena, Game, LadderSummary, Queue } from "@openseat/client";
import type { ComponentChildren, JSX } from "preact";
import { useTitle } from "../ui/hooks/use-title.ts";
import { ArrowIcon, FlameIcon, RoomPicture } from "../ui/icons.tsx";
import { Loading } from "../ui/loading.tsx";
import { sentenceOf } from "../ui/openseat.ts";
import {
  arenaAddress,
  chatAddress,
  docsAddress,
  duelsAddress,
  gameAddress,
  ladderAddress,
  waitAddress,
} from "../ui/route.ts";
import { gameTitle, ratingShown, streak } from "../ui/words.ts";
import { EmptyHome } from "./empty-home.tsx";
import { NewLadder } from "./new-ladder.tsx";
import { arenaWords, gameWords, ladderWords, queueWords, type RoomWords } from "./rooms.ts";
import { type Rooms, useRooms } from "./use-rooms.ts";

export function HomePage(): JSX.Element {
  const { rooms, problem, showMore } = useRooms();
  useTitle("Openseat: who sits, who waits, who is next");
  return (
    <div class="home">
      <div class="hello">
        <h1>
          <span>Who sits,</span> <span>who waits,</span> <span>who is next.</span>
        </h1>
        <p>Openseat gives every seat to exactly one person, and everyone else a fair place in line.</p>
      </div>
      {problem !== undefined && (
        <p class="trouble" role="status">
          {sentenceOf(problem)}
        </p>
      )}
      {!rooms && problem === undefined && <Loading />}
      {rooms && isEmpty(rooms) && <EmptyHome />}
      {rooms && (
        <>
          <Kinds rooms={rooms} />
          {rooms.hasMore && (
            <button class="button plain more-rooms" type="button" onClick={showMore}>
              Show more rooms
            </button>
          )}
        </>
      )}
      <footer class="foot soft">
        Programs can do all of this too: see <a href={docsAddress}>the API</a>.
      </footer>
    </div>
  );
}

function Kinds({ rooms }: { readonly rooms: Rooms }): JSX.Element {
  return (
    <>
      <Kind
        id="arenas"
        title="Arenas"
        purpose="Two people play. The winner stays, and the next in line takes the loser's seat."
      >
        {rooms.arenas.map((arena) => (
          <ArenaCard key={arena.id} arena={arena} />
        ))}
      </Kind>
      <Kind
        id="ladders"
        title="Ladders"
        purpose="Ratings that rise with every win and fall with every loss."
        way={<NewLadder />}
      >
        {rooms.ladders.map((ladder) => (
          <LadderCard key={ladder.id} ladder={ladder} />
        ))}
      </Kind>
      <TalkKind />
      <Kind
        id="games"
        title="Games"
        purpose="A fixed number of seats: first come, first served, never overbooked."
      >
        {rooms.games.map((game) => (
          <GameCard key={game.id} game={game} />
        ))}
      </Kind>
      <Kind
        id="waiting-rooms"
        title="Waiting rooms"
        purpose="A line in front of a busy site. It lets people in as fast as the site can serve them."
      >
        {rooms.queues.map((queue) => (
          <QueueCard key={queue.id} queue={queue} />
        ))}
      </Kind>
    </>
  );
}

/** Chat and duels need no room, so they are always listed. */
function TalkKind(): JSX.Element {
  return (
    <Kind
      id="talk"
      title="Chat and duels"
      purpose="Choose a nickname to challenge others and report matches in the chat."
    >
      <RoomCard
        href={chatAddress}
        title="Chat"
        words={{ line: "Play in a chat.", way: "Open" }}
        picture={<RoomPicture game="chat" />}
      />
      <RoomCard
        href={duelsAddress}
        title="Duels"
        words={{ line: "Rock, paper, scissors.", way: "Play" }}
        picture={<RoomPicture game="rock-paper-scissors" />}
      />
    </Kind>
  );
}

function isEmpty({ arenas, games, queues, ladders }: Rooms): boolean {
  return arenas.length + games.length + queues.length + ladders.length === 0;
}

interface KindProps {
  readonly id: string;
  readonly title: string;
  readonly purpose: string;
  readonly children: readonly ComponentChildren[];
  /** A button to create one. A section that has it is shown even when it is empty. */
  readonly way?: ComponentChildren;
}

function Kind({ id, title, purpose, children, way }: KindProps): JSX.Element | null {
  if (children.length === 0 && !way) return null;
  return (
    <section class="kind" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="soft">{purpose}</p>
      {children.length > 0 && <ul class="cards">{children}</ul>}
      {way && <div class="kind-way">{way}</div>}
    </section>
  );
}

interface CardProps {
  readonly href: string;
  readonly title: string;
  readonly words: RoomWords;
  readonly picture?: ComponentChildren;
  readonly children?: ComponentChildren;
}

function RoomCard({ href, title, words, picture, children }: CardProps): JSX.Element {
  return (
    <li class="card room-card">
      <div class="room-top">
        {picture && <span class="picture">{picture}</span>}
        <h3>
          <a href={href}>{title}</a>
        </h3>
      </div>
      {children}
      <div class="room-foot">
        <span>{words.line}</span>
        <span class="way" aria-hidden="true">
          {words.way}
          <ArrowIcon />
        </span>
      </div>
    </li>
  );
}

function ArenaCard({ arena }: { readonly arena: Arena }): JSX.Element {
  const { id, title, game, players } = arena;
  const kind = gameTitle(game);
  return (
    <RoomCard
      href={arenaAddress(id)}
      title={title}
      words={arenaWords(arena)}
      picture={<RoomPicture game={game} />}
    >
      {kind !== title && <p class="soft room-kind">{kind}</p>}
      {players.length > 0 && (
        <ul class="pair">
          {players.slice(0, 4).map((player) => (
            <li key={player.label}>
              <span class="pair-label">{player.label}</span>
              <span class="pair-name">{player.name}</span>
              {player.streak > 0 && (
                <span class="streak">
                  <FlameIcon />
                  {player.streak}
                  <span class="unseen">: {streak(player.streak)}</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </RoomCard>
  );
}

function GameCard({ game }: { readonly game: Game }): JSX.Element {
  const share = game.currentPlayers / game.maxPlayers;
  return (
    <RoomCard
      href={gameAddress(game.id)}
      title={game.title}
      words={gameWords(game)}
      picture={<RoomPicture game="seats" />}
    >
      <span class="share" aria-hidden="true">
        <span class="share-bar" style={{ transform: `scaleX(${share.toFixed(4)})` }} />
      </span>
    </RoomCard>
  );
}

function LadderCard({ ladder }: { readonly ladder: LadderSummary }): JSX.Element {
  const { id, title, leader } = ladder;
  return (
    <RoomCard
      href={ladderAddress(id)}
      title={title}
      words={ladderWords(ladder)}
      picture={<RoomPicture game="ladder" />}
    >
      {leader && (
        <p class="leader">
          <span class="soft">1st</span> <span class="pair-name">{leader.name}</span>{" "}
          <span class="soft">{ratingShown(leader.rating)}</span>
        </p>
      )}
    </RoomCard>
  );
}

function QueueCard({ queue }: { readonly queue: Queue }): JSX.Element {
  return (
    <RoomCard
      href={waitAddress(queue.id)}
      title={queue.title}
      words={queueWords(queue)}
      picture={<RoomPicture game="line" />}
    />
  );
}
