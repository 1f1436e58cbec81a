import type { ArenaAtVersion, ArenaHandle } from "@openseat/client";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Confirm } from "../ui/confirm.tsx";
import { notifyError } from "../ui/notices.tsx";

interface Props {
  readonly arena: ArenaHandle;
  readonly view: ArenaAtVersion;
}

/** Resign and leave. Both ask for confirmation during a match, because they lose it. */
export function ArenaActions({ arena, view: { game, state } }: Props): JSX.Element | null {
  const { match, you } = state;
  const [asked, setAsked] = useState<"resign" | "leave" | undefined>(undefined);
  const isLeaving = useRef(false);
  if (you === null) return null;
  const isPlaying = you.state === "seated" && match !== null;
  function leave(): void {
    // Ignore the second click of a double click: the first has already left, so the server would refuse it.
    if (isLeaving.current) return;
    isLeaving.current = true;
    const over = () => {
      isLeaving.current = false;
    };
    arena.leave().catch(notifyError).then(over);
  }
  return (
    <div class="actions">
      {isPlaying && game && (
        <button class="button plain" type="button" onClick={() => setAsked("resign")}>
          Resign
        </button>
      )}
      <button class="button plain" type="button" onClick={isPlaying ? () => setAsked("leave") : leave}>
        {you.state === "seated" ? "Leave" : "Leave the line"}
      </button>
      {asked === "resign" && match && (
        <Confirm
          key={match.id}
          question="Give up this match?"
          consequence="You lose it and go to the back of the line."
          yes="Yes, resign"
          no="Play on"
          onYes={() => void arena.resign(match.id).catch(notifyError)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "leave" && (
        <Confirm
          question="Leave the arena?"
          consequence={isPlaying ? "You lose this match and your place." : "You lose your place."}
          yes="Yes, leave"
          no="Stay"
          onYes={leave}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
