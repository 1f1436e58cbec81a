import { type DirectoryCommand, directoryLimits, type Hear, type LadderMeant } from "@openseat/kernel";
import { DirectoryModel, type Expected, keyOf, type ModelPerson, type ModelPlace, shown } from "./model.ts";
import type { Meaning } from "./script.ts";
import { day, hours } from "./stage.ts";

type Question = Extract<
  Meaning,
  { type: "match" | "rating" | "history" | "register" | "top" | "undo" | "confirm" | "decline" }
>;

interface Scene {
  readonly heard: Hear;
  readonly meaning: Meaning;
  readonly who: ModelPerson | undefined;
  readonly place: ModelPlace | null;
  readonly here: string;
}

function senderOf({ speaker }: Hear): string {
  return "person" in speaker ? speaker.person : speaker.sender;
}

/** The model, with ears: it is told what is meant, and so does not depend on how messages are read. */
export class HearingModel extends DirectoryModel {
  protected override ask(command: DirectoryCommand, meaning: Meaning | undefined): Omit<Expected, "sent"> {
    return command.type === "hear" ? this.#hear(command, meaning!) : super.ask(command, meaning);
  }

  #hear(heard: Hear, meaning: Meaning): Omit<Expected, "sent"> {
    const who = this.#speaker(heard);
    const place = this.#placeOf(heard, who);
    if (place === "full") return { refused: "directory.full" };
    const here = place ? `${place.channel}/${place.number}` : `conversation/${who?.id ?? senderOf(heard)}`;
    const isAlone = heard.title === undefined;
    if (who && isAlone) who.home = here;
    if (who) this.use(who.id);
    const outcome = heard.isBroken
      ? { reply: "broken" }
      : this.#respond({ heard, meaning, who, place, here });
    if ("reply" in outcome && (heard.isSent || !place)) this.sent.push(`${here} reply ${outcome.reply}`);
    return outcome;
  }

  /** LM6: what would be forgotten first is. */
  #evictConversation(): boolean {
    const [first] = this.places
      .filter(({ forgetAt }) => forgetAt !== null)
      .sort((one, other) => one.forgetAt! - other.forgetAt! || one.number - other.number);
    this.places = this.places.filter((each) => each !== first);
    return first !== undefined;
  }

  #speaker({ channel, speaker }: Hear): ModelPerson | undefined {
    if ("person" in speaker) return this.person(speaker.person);
    return this.people.find((each) => each.channel === channel && each.sender === speaker.sender);
  }

  /** Of somebody without a name it is known for a month; a day more or less does not matter. */
  #placeOf({ channel, place, title }: Hear, who: ModelPerson | undefined): ModelPlace | null | "full" {
    if (place === undefined) return null;
    const forgetAt = who || title !== undefined ? null : this.now + 30 * day;
    const known = this.places.find((each) => each.channel === channel && each.place === place);
    if (known) {
      const isNear = forgetAt !== null && known.forgetAt !== null && forgetAt - known.forgetAt < day;
      if (!isNear) known.forgetAt = forgetAt;
      return known;
    }
    if (this.places.length >= directoryLimits.conversationsMax && !this.#evictConversation()) return "full";
    const number = ++this.conversations;
    const met: ModelPlace = { number, channel, place, title: title ?? null, ladder: null, forgetAt };
    this.places.push(met);
    return met;
  }

  #respond(scene: Scene): { reply: string } | { asked: unknown } {
    const { heard, meaning, who } = scene;
    switch (meaning.type) {
      case "unclear":
        return { reply: "unclear" };
      case "usage":
        return { reply: `usage ${meaning.command}` };
      case "help":
        return { reply: `help ${who?.name ?? "nobody"}` };
      case "nick":
        return { reply: this.#nick(scene, meaning) };
      case "games":
        return { reply: who ? this.#games(who.id, heard.title !== undefined) : "nickname.missing" };
      case "quit":
        return { reply: this.#quitting(scene) };
      case "drop":
        return { reply: this.#dropping(scene, meaning.at) };
      case "throw":
        return { reply: this.#hearThrow(scene, meaning) };
      default:
        return this.#question(scene, meaning);
    }
  }

  #quitting({ heard, who, place }: Scene): string {
    const isAlone = heard.title === undefined;
    if (who) this.quit(who.id, isAlone ? place : this.own(who.id));
    else if (isAlone && place) place.forgetAt = this.now + hours;
    else return "nobody-to-forget";
    return "forgotten";
  }

  #dropping({ who }: Scene, at: string): string {
    if (!who) return "nickname.missing";
    const other = this.called(at);
    if (!other) return "nickname.unknown";
    const duel = this.between(who.id, other.id);
    if (duel) this.drop(duel, who.id);
    return `${duel ? "off" : "no-duel"} ${other.name}`;
  }

  #nick({ heard, who, here, place }: Scene, { key, typed }: Extract<Meaning, { type: "nick" }>): string {
    const isOfChannel = "sender" in heard.speaker;
    const account = {
      channel: isOfChannel ? heard.channel : null,
      sender: isOfChannel ? senderOf(heard) : null,
    };
    const id = isOfChannel ? `chat_${this.met + 1}` : senderOf(heard);
    const was = who?.name;
    const newcomer = { id, name: "", ...account, home: here, ladders: [], ...this.fresh };
    const refused = key === null ? "nickname.invalid" : this.take(who ?? newcomer, typed);
    if (refused) return refused;
    if (!who && isOfChannel) this.met++;
    if (place && heard.title === undefined) place.forgetAt = null;
    if (was === undefined) return `named ${shown(typed)}`;
    return keyOf(was) === key ? `recased ${shown(typed)}` : `named ${shown(typed)} was ${was}`;
  }

  #games(id: string, isOverheard: boolean): string {
    const lines = this.open
      .filter(({ players }) => players.includes(id))
      .map(({ players, hands }) => {
        const seat = players.indexOf(id);
        const other = this.person(players[1 - seat])!.name;
        return hands[seat] === null ? `${other} waits` : `${other} ${isOverheard ? "hidden" : hands[seat]}`;
      });
    const latest = this.over.filter(({ players }) => players.includes(id)).slice(-20);
    const last = latest.findLast(({ end }) => end!.includes(" "));
    return [
      "games",
      ...(lines.length === 0 ? ["none"] : lines),
      ...(last ? [this.result(last, id)] : []),
    ].join(", ");
  }

  #hearThrow({ heard, who }: Scene, { hand, at, rated }: Extract<Meaning, { type: "throw" }>): string {
    if (heard.title !== undefined) return "secret-please";
    if (!who) return "nickname.missing";
    const waiting = this.open.flatMap(({ players, hands }) => {
      const seat = players.indexOf(who.id);
      return seat >= 0 && hands[seat] === null ? [players[1 - seat]] : [];
    });
    if (at === null && waiting.length !== 1)
      return ["whom", ...waiting.map((id) => this.person(id)!.name)].join(" ");
    const opponent = at === null ? waiting[0] : this.called(at)?.id;
    if (opponent === undefined) return "nickname.unknown";
    if (rated && !heard.ladder?.takesDuels) return "no-rated-duels";
    const { refused } = this.challenge(who.id, opponent, hand, rated ? heard.ladder!.id : null);
    if (refused) return refused;
    const duel = this.duels.findLast(
      ({ players }) => players.includes(who.id) && players.includes(opponent),
    )!;
    if (duel.end !== null) return this.result(duel, who.id);
    return `waiting for ${this.person(opponent)!.name}${rated ? " rated" : ""}`;
  }

  #question({ heard, who, place }: Scene, meaning: Question): { reply: string } | { asked: unknown } {
    const ladder: LadderMeant | undefined = heard.ladder;
    if (!ladder) return { reply: "no-ladder" };
    const isLooking =
      meaning.type === "top" || ("of" in meaning && meaning.type !== "confirm" && meaning.of !== null);
    if (!who && !isLooking) return { reply: "nickname.missing" };
    const named = (key: string | null) => {
      const found = key === null ? who : this.called(key);
      return found && { person: found.id, name: found.name };
    };
    let question: unknown = { type: meaning.type };
    if (meaning.type === "match") {
      const players = meaning.players.map(named);
      if (players.includes(undefined)) return { reply: "nickname.unknown" };
      if (meaning.scores.some((score) => score > 1_000)) return { reply: "score-too-high" };
      question = { type: "match", players, scores: meaning.scores };
    } else if ("of" in meaning && !(meaning.type === "confirm" && meaning.of === null)) {
      if (!named(meaning.of)) return { reply: "nickname.unknown" };
      question = { type: meaning.type, of: named(meaning.of) };
    }
    const isTurnedAway = meaning.type === "register" && !ladder.admits;
    if (place && heard.title !== undefined && !isTurnedAway) place.ladder ??= ladder.id;
    if (meaning.type === "register" && !isTurnedAway)
      who!.ladders = [...who!.ladders.filter((id) => id !== ladder.id), ladder.id];
    const asker = who ? { person: who.id, name: who.name } : null;
    return { asked: { asker, ladder: ladder.id, question } };
  }
}
