import type { ArenaAtVersion, ArenaHandle } from "@openseat/client";
import type { JSX, RefObject } from "preact";
import { useState } from "preact/hooks";
import { useMe } from "../ui/me.ts";
import { notifyError } from "../ui/notices.tsx";
import { sentenceOf } from "../ui/openseat.ts";
import { arenaAddress } from "../ui/route.ts";
import { isYourTurn, type Table } from "./aftermath.ts";
import type { Call } from "./call.ts";
import { SmallBoard } from "./table/board.tsx";
import { tierElsewhere } from "./tiers.ts";

interface Props {
  readonly call: Call;
  readonly view: ArenaAtVersion;
  readonly table: Table;
  readonly arena: ArenaHandle;
  readonly headline: RefObject<HTMLHeadingElement | null>;
  /** Whether a match has just ended. */
  readonly isResultShown: boolean;
}

/** The headline for the viewer, and the button to join. */
export function CallCard({ call, view, table, arena, headline, isResultShown }: Props): JSX.Element {
  const { ensure } = useMe();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(undefined);
  const elsewhere = tierElsewhere(refusal);
  async function join(): Promise<void> {
    setBusy(true);
    try {
      await ensure();
      await arena.join();
      setRefusal(undefined);
    } catch (error) {
      // A refusal that names another tier stays on the page: a notice would vanish before it is read.
      if (tierElsewhere(error)) setRefusal(error);
      else notifyError(error);
    } finally {
      setBusy(false);
    }
  }
  const { game, state } = view;
  const isNewTable = isResultShown && !table.isLast && isYourTurn(view);
  return (
    <div class={`call ${call.tone}`} data-tone={call.tone}>
      <div class="call-words">
        <h2 ref={headline} tabIndex={-1}>
          {call.headline}
        </h2>
        <p>{call.detail}</p>
      </div>
      {isNewTable && game && <SmallBoard game={game} labels={view.arena.labels} sight={state.lastSight} />}
      {call.way && (
        <button class="button" type="button" disabled={isBusy} onClick={join}>
          {call.way}
        </button>
      )}
      <p class="elsewhere-tier" role="status">
        {elsewhere && (
          <>
            {sentenceOf(refusal)} <a href={arenaAddress(elsewhere.arena)}>Go to {elsewhere.name}</a>
          </>
        )}
      </p>
    </div>
  );
}
