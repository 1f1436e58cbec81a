import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "./confirm.tsx";
import { useAction } from "./hooks/use-action.ts";
import { useMe } from "./me.ts";

interface Props {
  readonly what: "game" | "arena" | "ladder";
  readonly createdBy: string | null;
  readonly isOver: boolean;
  readonly end: () => Promise<unknown>;
}

/** A button to end the room, for the person who created it. */
export function EndRoom({ what, createdBy, isOver, end }: Props): JSX.Element | null {
  const { me } = useMe();
  const { isBusy, run } = useAction();
  const [isAsked, setAsked] = useState(false);
  if (isOver || createdBy === null || me?.id !== createdBy) return null;
  return (
    <>
      <button class="button plain" type="button" disabled={isBusy} onClick={() => setAsked(true)}>
        End this {what}
      </button>
      {isAsked && (
        <Confirm
          question={`End this ${what}?`}
          consequence={consequences[what]}
          yes="Yes, end it"
          no="Keep it"
          onYes={() => run(end)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

const consequences = {
  game: "Everyone loses their seat, and nobody can join again. This cannot be undone.",
  arena: "The current match ends without a result, and everyone loses their place. This cannot be undone.",
  ladder: "Nobody can join or report matches any more. The standings stay. This cannot be undone.",
} as const;
