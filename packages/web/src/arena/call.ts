import type { ArenaAtVersion } from "@openseat/client";
import { ahead, listed, people } from "../ui/words.ts";
import { type Aftermath, isResultShown, isYourTurn } from "./aftermath.ts";
import { headlineOf, nextFor, outcomeFor, whyOf } from "./table/result.ts";

/** The headline of the page, and what the viewer can do. */
export interface Call {
  readonly headline: string;
  readonly detail: string;
  /** Sets the colours. `yours`: it is your turn. */
  readonly tone: "yours" | "good" | "bad" | "calm";
  /** The label of the join button; undefined for people who have a place. */
  readonly way: "Take a seat" | "Join the line" | undefined;
}

interface Standing {
  readonly me: string | undefined;
  readonly aftermath: Aftermath | undefined;
  /** Why the viewer lost their place, if they did. */
  readonly lost: string | undefined;
  readonly nowMs: number;
}

export function callOf(view: ArenaAtVersion, standing: Standing): Call {
  const plain = withoutAftermath(view, standing);
  const { aftermath, me, nowMs } = standing;
  if (!isResultShown(aftermath, nowMs)) return plain;
  const { match } = aftermath;
  const headline = headlineOf(match, me);
  const why = whyOf(match, me);
  const next = standing.lost ?? nextFor(match, me, view.state);
  // A player who has to move sees "Your turn" first, and the result of the last match as a detail.
  if (isYourTurn(view)) return { ...plain, detail: joined(headline, why, next) };
  const outcome = outcomeFor(match, me);
  const isUp = outcome === "watched" && view.state.you?.state === "seated";
  const tone = outcome === "lost" ? "bad" : outcome === "won" || isUp ? "good" : "calm";
  return { ...plain, headline, detail: joined(why, next) || plain.detail, tone };
}

function withoutAftermath(view: ArenaAtVersion, { lost, me }: Standing): Call {
  const { you } = view.state;
  if (you === null) return forSpectator(view, lost);
  if (you.state === "waiting") return inLine(you.position ?? 1);
  return onSeat(view, me);
}

function forSpectator({ arena, state }: ArenaAtVersion, lost: string | undefined): Call {
  if (state.status === "ENDED") {
    const detail = "No more matches are played here.";
    return { headline: "This arena has ended", detail, tone: "calm", way: undefined };
  }
  const isFree = state.players.length < arena.seats && state.waiting === 0;
  const way = isFree ? "Take a seat" : "Join the line";
  if (lost !== undefined) return { headline: "You lost your place", detail: lost, tone: "bad", way };
  if (isFree) {
    const [only] = state.players;
    return {
      headline: "A seat is free",
      detail: only ? `${only.person.name} is waiting for someone to play with.` : "Be the first to sit down.",
      tone: "yours",
      way,
    };
  }
  const line =
    state.waiting === 0 ? "The line is empty: you would be next." : `${people(state.waiting)} in the line.`;
  return { headline: spectatorHeadline(state), detail: `You are watching. ${line}`, tone: "calm", way };
}

function spectatorHeadline({ match, players }: ArenaAtVersion["state"]): string {
  const names = players.map(({ person }) => person.name);
  if (match?.toMove.length !== 1) return names.length === 2 ? names.join(" against ") : listed(names);
  const [mover] = players.filter(({ label }) => match.toMove.includes(label));
  return `${mover?.person.name ?? match.toMove[0]} to move`;
}

function inLine(position: number): Call {
  const isNext = position === 1;
  return {
    headline: isNext ? "You are next" : `Position ${position}`,
    detail: isNext ? "The next free seat is yours." : ahead(position - 1),
    tone: isNext ? "good" : "calm",
    way: undefined,
  };
}

function onSeat(view: ArenaAtVersion, me: string | undefined): Call {
  const { game, state } = view;
  const { match, players, you } = state;
  const others = players.filter(({ person }) => person.userId !== me);
  const asLabel = `You play ${you?.label}.`;
  const quiet = { tone: "calm", way: undefined } as const;
  if (!match)
    return {
      headline: "Waiting for a player",
      detail: `${asLabel} The match begins when all seats are taken.`,
      ...quiet,
    };
  if (!game || !match.sight)
    return {
      headline: `You play ${listed(others.map(({ person }) => person.name))}`,
      detail: `${asLabel} This game is played elsewhere. Its result appears here.`,
      ...quiet,
    };
  if (isYourTurn(view))
    return { headline: "Your turn", detail: `${asLabel} ${game.summary}`, tone: "yours", way: undefined };
  const awaited = others.filter(({ label }) => match.toMove.includes(label)).map(({ person }) => person.name);
  const chosen = game.choices.find(({ move }) => move === match.sight?.chosen);
  const detail = chosen
    ? `You chose ${chosen.name.toLowerCase()}. It stays secret until everyone has chosen.`
    : asLabel;
  return { headline: `Waiting for ${listed(awaited)}`, detail, ...quiet };
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** The title of the browser tab. */
export function tabTitle(view: ArenaAtVersion, call: Call): string {
  const { you } = view.state;
  const title = `${view.arena.title} · Openseat`;
  if (you === null) return title;
  const isPlaying = you.state === "seated" && view.state.match !== null;
  const short = isYourTurn(view) || !isPlaying ? call.headline.replace(/\.$/, "") : "Playing";
  return `${short} · ${title}`;
}
