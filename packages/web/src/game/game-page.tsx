import type { Game, GameHandle, Participant } from "@openseat/client";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Confirm } from "../ui/confirm.tsx";
import { EndRoom } from "../ui/end-room.tsx";
import { useKeptFocus } from "../ui/hooks/use-kept-focus.ts";
import { useTitle } from "../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../ui/loading.tsx";
import { useMe } from "../ui/me.ts";
import { NoSuchRoom } from "../ui/no-such-room.tsx";
import { notifyError } from "../ui/notices.tsx";
import { isNotFound, sentenceOf } from "../ui/openseat.ts";
import { grouped, people } from "../ui/words.ts";
import { GamePeople } from "./game-people.tsx";
import { type GameCall, type GamePlace, gameCall, seatRow } from "./seats.ts";
import { useGame } from "./use-game.ts";

export function GamePage({ id }: { readonly id: string }): JSX.Element {
  const { handle, game, place, position, present, problem } = useGame(id);
  if (problem && isNotFound(problem)) return <NoSuchRoom what="game" />;
  if (problem) return <LoadError text={sentenceOf(problem)} />;
  if (!game || place === undefined) return <Loading />;
  return <Seats {...{ handle, game, place, position, present }} />;
}

interface Props {
  readonly handle: GameHandle;
  readonly game: Game;
  readonly place: GamePlace;
  readonly position: number | undefined;
  readonly present: readonly Participant[];
}

const statusWords = { OPEN: "Open", FULL: "Full", ENDED: "Ended" } as const;

function Seats({ handle, game, place, position, present }: Props): JSX.Element {
  const call = gameCall(game, place, position);
  const headline = useRef<HTMLHeadingElement>(null);
  useKeptFocus(headline);
  useTitle(`${place === "none" ? "" : `${call.headline} · `}${game.title} · Openseat`);
  return (
    <div class="game">
      <div class="room-head">
        <div>
          <h1>{game.title}</h1>
          <p class="soft">
            A game with {grouped(game.maxPlayers)} {game.maxPlayers === 1 ? "seat" : "seats"}
            {game.waitlist ? " and a waiting line" : ""}.
          </p>
        </div>
        <div class="row">
          <EndRoom
            what="game"
            createdBy={game.createdBy}
            isOver={game.status === "ENDED"}
            end={() => handle.end()}
          />
          <span class={`status ${game.status.toLowerCase()}`}>{statusWords[game.status]}</span>
        </div>
      </div>
      <section class="card stage" aria-label="Seats">
        <div class={`call ${call.tone}`} data-tone={call.tone}>
          <div class="call-words" role="status">
            <h2 ref={headline} tabIndex={-1}>
              {call.headline}
            </h2>
            <p>{call.detail}</p>
          </div>
          <GameActions handle={handle} call={call} place={place} />
        </div>
        <SeatGrid game={game} place={place} />
        <dl class="facts">
          <Fact name="Taken" value={game.currentPlayers} />
          {game.status !== "ENDED" && <Fact name="Free" value={game.availableSlots} />}
          {game.status !== "ENDED" && game.waitlist && <Fact name="In the line" value={game.waiting} />}
        </dl>
      </section>
      <GamePeople {...{ handle, game, present }} />
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{grouped(value)}</dd>
    </div>
  );
}

function GameActions({
  handle,
  call,
  place,
}: Pick<Props, "handle" | "place"> & { readonly call: GameCall }): JSX.Element {
  const { ensure } = useMe();
  const [isBusy, setBusy] = useState(false);
  const [isAsked, setAsked] = useState(false);
  async function run(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    try {
      await ensure();
      await work();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  }
  const leave = () => void run(() => handle.leave());
  return (
    <>
      {call.way && (
        <button class="button" type="button" disabled={isBusy} onClick={() => void run(() => handle.join())}>
          {call.way}
        </button>
      )}
      {call.leave && (
        <button class="button plain" type="button" disabled={isBusy} onClick={() => setAsked(true)}>
          {call.leave}
        </button>
      )}
      {isAsked && (
        <Confirm
          question={place === "seated" ? "Leave this game?" : "Leave the line?"}
          consequence={
            place === "seated"
              ? "Your seat goes to the next person."
              : "You lose your place, and everyone behind you moves up."
          }
          yes="Yes, leave"
          no="Stay"
          onYes={leave}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function SeatGrid({ game, place }: Pick<Props, "game" | "place">): JSX.Element {
  const { taken, each } = seatRow(game);
  const words = `${grouped(game.currentPlayers)} of ${grouped(game.maxPlayers)} seats taken`;
  return (
    <figure class="seats">
      <div class="seat-grid" role="img" aria-label={words} style={{ "--seats": taken.length }}>
        {taken.map((isTaken, index) => {
          const isYours = place === "seated" && isTaken && !taken[index + 1];
          return (
            <span
              key={index}
              class={`seat${isTaken ? " taken" : ""}${isYours && each === 1 ? " yours" : ""}`}
            />
          );
        })}
      </div>
      {each > 1 && <figcaption class="soft">Each seat stands for {people(each)}.</figcaption>}
    </figure>
  );
}
