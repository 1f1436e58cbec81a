import { Openseat } from "@openseat/client";
import { OpenseatProvider, useArena, useGame, useQueue } from "@openseat/react";
import { createRoot } from "react-dom/client";

const parameters = new URLSearchParams(location.search);
const openseat = new Openseat({ url: parameters.get("openseat") });

function Game({ id }) {
  const { game, you, join } = useGame(id);
  return (
    <section>
      <button type="button" onClick={join}>
        Join the game
      </button>
      <p>
        {game &&
          `${game.currentPlayers} of ${game.maxPlayers} seats, ${you?.isParticipant ? "you too" : "not you"}`}
      </p>
    </section>
  );
}

function Queue({ id }) {
  const { place, session, enter, claim } = useQueue(id);
  return (
    <section>
      <button type="button" onClick={() => enter()}>
        Enter the queue
      </button>
      {place?.status === "ADMITTED" && (
        <button type="button" onClick={claim}>
          Come in
        </button>
      )}
      <p>{session ? "You are in" : place?.status}</p>
    </section>
  );
}

function Arena({ id }) {
  const { state, join, move } = useArena(id);
  return (
    <section>
      <button type="button" onClick={join}>
        Join the arena
      </button>
      {state?.you?.moves.map((each) => (
        <button type="button" key={each} onClick={() => move(each)}>
          Play {each}
        </button>
      ))}
      <p>{state?.match && `${state.match.moves} moves made`}</p>
    </section>
  );
}

createRoot(document.getElementById("root")).render(
  <OpenseatProvider client={openseat}>
    <Game id={parameters.get("game")} />
    <Queue id={parameters.get("queue")} />
    <Arena id={parameters.get("arena")} />
  </OpenseatProvider>,
);
