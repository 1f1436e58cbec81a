import type { Game, GameHandle, Participant } from "@openseat/client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "../ui/confirm.tsx";
import { useAction } from "../ui/hooks/use-action.ts";
import { useMe } from "../ui/me.ts";
import { people } from "../ui/words.ts";

interface Props {
  readonly handle: GameHandle;
  readonly game: Game;
  /** The first people in the game. */
  readonly present: readonly Participant[];
}

/** The people in the game. The person who created it can remove others. */
export function GamePeople({ handle, game, present }: Props): JSX.Element | null {
  const { me } = useMe();
  const { isBusy, run } = useAction();
  const [asked, setAsked] = useState<Participant | undefined>(undefined);
  if (present.length === 0) return null;
  const more = game.currentPlayers + game.waiting - present.length;
  const canRemove = me !== undefined && me.id === game.createdBy && game.status !== "ENDED";
  return (
    <section class="card side" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <ul class="game-people">
        {present.map((participant) => (
          <li key={participant.id}>
            <span>
              {participant.name}
              {participant.userId === me?.id && <span class="soft"> (you)</span>}
              {participant.status === "WAITING" && <span class="soft"> in the line</span>}
            </span>
            {canRemove && participant.userId !== me.id && (
              <button
                class="button plain"
                type="button"
                disabled={isBusy}
                aria-label={`Remove ${participant.name}`}
                onClick={() => setAsked(participant)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">and {people(more)} more.</p>}
      {asked && (
        <Confirm
          key={asked.id}
          question={`Remove ${asked.name}?`}
          consequence="Their seat goes to the next person in line. They can join again."
          yes="Yes, remove"
          no="Keep"
          onYes={() => run(() => handle.remove(asked.userId))}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}
