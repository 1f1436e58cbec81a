import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useKeptFocus } from "../../ui/hooks/use-kept-focus.ts";
import { useNow } from "../../ui/hooks/use-now.ts";
import { useTitle } from "../../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../../ui/loading.tsx";
import { sentenceOf } from "../../ui/openseat.ts";
import { TalkLinks } from "../talk-links.tsx";
import { ChallengeCard } from "./challenge-card.tsx";
import { DuelCard } from "./duel-card.tsx";
import { isYours, yoursFirst } from "./duels.ts";
import { FinishedDuels } from "./finished-duels.tsx";
import { NicknameCard } from "./nickname-card.tsx";
import { useDuelLadders } from "./use-duel-ladders.ts";
import { useDuels } from "./use-duels.ts";

export function DuelsPage(): JSX.Element {
  const { seen, problem, refresh } = useDuels();
  if (problem !== undefined) return <LoadError text={sentenceOf(problem)} />;
  return seen ? <Duels seen={seen} refresh={refresh} /> : <Loading />;
}

interface Props {
  readonly seen: NonNullable<ReturnType<typeof useDuels>["seen"]>;
  readonly refresh: () => void;
}

function Duels({ seen, refresh }: Props): JSX.Element {
  const ladders = useDuelLadders();
  const minute = useNow(30_000);
  const nowMs = Math.max(minute, Date.now());
  const headline = useRef<HTMLHeadingElement>(null);
  const { nickname, open, finished, said } = seen;
  const yours = open.filter(isYours).length;
  useKeptFocus(headline);
  useTitle(yours > 0 ? `(${yours}) Duels · Openseat` : "Duels · Openseat");
  return (
    <div class="duels">
      <div class="room-head">
        <div>
          <h1 ref={headline} tabIndex={-1}>
            Duels
          </h1>
          <p class="soft">Rock, paper, scissors. Your throw is secret until your opponent has thrown too.</p>
        </div>
        <TalkLinks here="duels" ladders={ladders} />
      </div>
      <div class="arena-parts">
        <div class="duels-main">
          <NicknameCard nickname={nickname} onTaken={refresh} />
          {nickname !== null && (
            <section aria-labelledby="open-title" hidden={open.length === 0}>
              <h2 id="open-title">Open duels</h2>
              <ul class="open-duels">
                {yoursFirst(open).map((duel) => (
                  <DuelCard key={duel.id} {...{ duel, ladders, nowMs }} onChanged={refresh} />
                ))}
              </ul>
            </section>
          )}
          {nickname !== null && <ChallengeCard ladders={ladders} onChallenged={refresh} />}
        </div>
        <div class="sides">
          {(nickname !== null || finished.length > 0) && (
            <FinishedDuels {...{ ladders, nowMs }} duels={finished} />
          )}
        </div>
      </div>
      <div class="unseen" role="status" data-said>
        <p>{said}</p>
      </div>
    </div>
  );
}
