import type { DirectoryCommand, Hand, Hear, LadderMeant, RefusalCode } from "@openseat/kernel";
import { type Asked, type Meaning, spellings } from "./script.ts";
import { hours, week } from "./stage.ts";

interface ModelPerson {
  readonly id: string;
  name: string;
  readonly channel: string | null;
  readonly sender: string | null;
  home: string;
  ladders: string[];
}

interface ModelPlace {
  readonly number: number;
  readonly channel: string;
  place: string;
  readonly title: string | null;
  ladder: string | null;
  forgetAt: number | null;
}

interface ModelDuel {
  readonly number: number;
  readonly players: readonly [string, string];
  readonly hands: [Hand | null, Hand | null];
  readonly ladders: [string | null, string | null];
  readonly lapsesAt: number;
  names: [string, string] | null;
  end: string | null;
}

/** What comes of a step: a refusal, or a reply or question, and who is sent what, in the words of `kinds.ts`. */
export interface Expected {
  refused?: RefusalCode;
  reply?: string;
  asked?: unknown;
  sent: string[];
}

const beats: Readonly<Record<Hand, Hand>> = { rock: "scissors", paper: "rock", scissors: "paper" };
const shown = (typed: string) => typed.replaceAll("\u200b", "").normalize("NFC");

/** Which of the known names it is, however it is written; undefined for none of them. */
export function keyOf(name: string): string | undefined {
  return Object.keys(spellings).find((key) => spellings[key].some((each) => shown(each) === shown(name)));
}

/** The plainest directory there can be: lists, looked through from the beginning. */
export class DirectoryModel {
  people: ModelPerson[] = [];
  places: ModelPlace[] = [];
  /** All that ever were, and in the order of their ends those that are over. */
  readonly duels: ModelDuel[] = [];
  readonly over: ModelDuel[] = [];
  readonly heard: Record<string, number> = {};
  met = 0;
  conversations = 0;
  #sent: string[] = [];

  get open(): ModelDuel[] {
    return this.duels.filter(({ end }) => end === null);
  }

  get due(): number | undefined {
    const times = [...this.open.map(({ lapsesAt }) => lapsesAt), ...this.places.flatMap(({ forgetAt }) => forgetAt ?? [])];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  do({ command, meaning }: Asked, now: number): Expected {
    this.#sent = [];
    const outcome = command.type === "hear" ? this.#hear(command, meaning!, now) : this.#ask(command, now);
    return { ...outcome, sent: outcome.refused ? [] : this.#sent.sort() };
  }

  #ask(command: Exclude<DirectoryCommand, Hear>, now: number): Omit<Expected, "sent"> {
    switch (command.type) {
      case "take-name": {
        const known = this.#person(command.person);
        const home = known?.home ?? `conversation/${command.person}`;
        const who = known ?? { id: command.person, name: "", channel: null, sender: null, home, ladders: [] };
        const refused = this.#take(who, command.nickname);
        return refused ? { refused } : {};
      }
      case "quit":
        return this.#quit(command.person, null, now) ? {} : { refused: "nickname.missing" };
      case "challenge": {
        if (!this.#person(command.person)) return { refused: "nickname.missing" };
        const opponent = this.#called(keyOf(command.opponent) ?? "");
        if (!opponent) return { refused: "nickname.unknown" };
        return this.#challenge(command.person, opponent.id, command.hand, command.ladder, now);
      }
      case "throw":
      case "drop":
        return this.#inDuel(command, now);
      case "pass":
        return this.#pass(command);
      case "move":
        return this.#move(command.channel, command.from, command.to);
      case "link": {
        const place = this.places.find(({ number }) => number === command.conversation);
        if (!place || place.title === null) return { refused: "conversation.not-found" };
        place.ladder = command.ladder;
        return {};
      }
      case "tick":
        this.#tick(now);
        return {};
    }
  }

  #person(id: string | undefined): ModelPerson | undefined {
    return this.people.find((each) => each.id === id);
  }

  #called(key: string): ModelPerson | undefined {
    return this.people.find(({ name }) => keyOf(name) === key);
  }

  #tell(id: string, what: string): void {
    const home = this.#person(id)?.home;
    if (home !== undefined) this.#sent.push(`${home} told ${what}`);
  }

  #take(who: ModelPerson, typed: string): RefusalCode | undefined {
    const key = keyOf(typed);
    if (key === undefined) return "nickname.invalid";
    if (who.name === shown(typed)) return "nickname.taken";
    if ((this.#called(key)?.id ?? who.id) !== who.id) return "nickname.taken";
    if (!this.people.includes(who)) this.people.push(who);
    who.name = shown(typed);
    for (const ladder of who.ladders)
      this.#sent.push(`ladder/${ladder} ${JSON.stringify({ named: [who.id, who.name] })}`);
    return undefined;
  }

  #quit(id: string, place: ModelPlace | null, now: number): boolean {
    const who = this.#person(id);
    if (!who) return false;
    for (const duel of this.open.filter(({ players }) => players.includes(id))) this.#drop(duel, "gone", id);
    for (const ladder of who.ladders) this.#sent.push(`ladder/${ladder} ${JSON.stringify({ gone: id })}`);
    this.people = this.people.filter((each) => each !== who);
    if (place) place.forgetAt = now + hours;
    return true;
  }

  #challenge(
    id: string,
    opponent: string,
    hand: Hand | null,
    ladder: string | null,
    now: number,
  ): { refused?: RefusalCode } {
    if (id === opponent) return { refused: "duel.self" };
    const open = this.open.find(({ players }) => players.includes(id) && players.includes(opponent));
    if (open) return hand === null ? { refused: "duel.exists" } : this.#throw(open, id, hand, ladder);
    const number = this.duels.length + 1;
    const both = { hands: [null, null], ladders: [null, null] } as Pick<ModelDuel, "hands" | "ladders">;
    const duel: ModelDuel = { number, players: [id, opponent], ...both, lapsesAt: now + week, names: null, end: null };
    this.duels.push(duel);
    this.#tell(opponent, `challenged by ${this.#person(id)!.name}${hand && ladder ? " rated" : ""}`);
    if (hand === null) return {};
    duel.hands[0] = hand;
    duel.ladders[0] = ladder;
    return {};
  }

  #throw(duel: ModelDuel, id: string, hand: Hand, ladder: string | null): { refused?: RefusalCode } {
    const seat = duel.players.indexOf(id);
    if (duel.hands[seat] !== null) return { refused: "duel.thrown" };
    duel.hands[seat] = hand;
    duel.ladders[seat] = ladder;
    const other = duel.players[1 - seat];
    if (duel.hands[1 - seat] === null) {
      this.#tell(other, `thrown by ${this.#person(id)!.name}${ladder ? " rated" : ""}`);
      return {};
    }
    const [first, second] = duel.hands as [Hand, Hand];
    const winner = first === second ? null : beats[first] === second ? 0 : 1;
    const counts = duel.ladders[0] !== null && duel.ladders[0] === duel.ladders[1] ? duel.ladders[0] : null;
    this.#end(duel, `${first} ${second} ${winner} ${counts}`);
    this.#tell(other, this.result(duel, other));
    if (counts === null) return {};
    const scores = [winner === 0 ? 1 : 0, winner === 1 ? 1 : 0];
    const body = { players: duel.players, names: duel.names, scores, duel: true };
    this.#sent.push(`ladder/${counts} ${JSON.stringify(body)}`);
    return {};
  }

  #end(duel: ModelDuel, end: string): void {
    const [one, other] = duel.players.map((id) => this.#person(id)!.name);
    duel.names = [one, other];
    duel.end = end;
    this.over.push(duel);
  }

  /** As one of the two is told it. */
  result(duel: ModelDuel, id: string): string {
    const [, , winner, counts] = duel.end!.split(" ");
    const seat = duel.players.indexOf(id);
    const end = winner === "null" ? "draw" : winner === String(seat) ? "won" : "lost";
    const other = duel.names![1 - seat];
    return `result ${duel.hands[seat]} ${duel.hands[1 - seat]} of ${other} ${end}${counts === "null" ? "" : " counts"}`;
  }

  #drop(duel: ModelDuel, reason: "withdrawn" | "declined" | "gone" | "lapsed", by: string | null): void {
    this.#end(duel, reason);
    for (const [seat, id] of duel.players.entries()) {
      const who = reason === "lapsed" ? duel.names![1 - seat] : this.#person(by!)!.name;
      if (id !== by) this.#tell(id, `${reason} ${who}`);
    }
  }

  #inDuel(
    command: Extract<DirectoryCommand, { type: "throw" | "drop" }>,
    _now: number,
  ): { refused?: RefusalCode } {
    const duel = this.duels.find(({ number }) => number === command.duel);
    if (!duel?.players.includes(command.person)) return { refused: "duel.not-found" };
    if (duel.end !== null) return { refused: "duel.over" };
    if (command.type === "throw") return this.#throw(duel, command.person, command.hand, command.ladder);
    this.#drop(duel, duel.players[0] === command.person ? "withdrawn" : "declined", command.person);
    return {};
  }

  #pass({ from, notices }: Extract<DirectoryCommand, { type: "pass" }>): { refused?: RefusalCode } {
    const fresh = notices.filter(({ version }) => version > (this.heard[from] ?? 0));
    if (fresh.length === 0) return { refused: "delivery.repeated" };
    this.heard[from] = fresh[fresh.length - 1].version;
    for (const { tell, text } of fresh) this.#tell(tell, text);
    return {};
  }

  #move(channel: string, from: string, to: string): { refused?: RefusalCode } {
    const at = (place: string) => this.places.find((each) => each.channel === channel && each.place === place);
    const moving = at(from);
    if (!moving) return { refused: "conversation.not-found" };
    const anew = at(to);
    moving.place = to;
    if (!anew || anew === moving) return {};
    this.places = this.places.filter((each) => each !== anew);
    for (const person of this.people)
      if (person.home === `${channel}/${anew.number}`) person.home = `${channel}/${moving.number}`;
    return {};
  }

  #tick(now: number): void {
    for (const duel of this.open) if (duel.lapsesAt <= now) this.#drop(duel, "lapsed", null);
    this.places = this.places.filter(({ forgetAt }) => forgetAt === null || forgetAt > now);
  }

  #hear(heard: Hear, meaning: Meaning, now: number): Omit<Expected, "sent"> {
    const place = this.#placeOf(heard);
    if (place) place.forgetAt = null;
    const who = this.#speaker(heard);
    const here = place ? `${place.channel}/${place.number}` : `conversation/${who?.id ?? senderOf(heard)}`;
    const isAlone = heard.title === undefined;
    if (who && isAlone) who.home = here;
    const outcome = heard.isBroken ? { reply: "broken" } : this.#respond({ heard, meaning, who, place, here, now });
    if ("reply" in outcome && (heard.isSent || !place)) this.#sent.push(`${here} reply ${outcome.reply}`);
    return outcome;
  }

  #speaker({ channel, speaker }: Hear): ModelPerson | undefined {
    if ("person" in speaker) return this.#person(speaker.person);
    return this.people.find((each) => each.channel === channel && each.sender === speaker.sender);
  }

  #placeOf({ channel, place, title }: Hear): ModelPlace | null {
    if (place === undefined) return null;
    const known = this.places.find((each) => each.channel === channel && each.place === place);
    if (known) return known;
    const number = ++this.conversations;
    const met: ModelPlace = { number, channel, place, title: title ?? null, ladder: null, forgetAt: null };
    this.places.push(met);
    return met;
  }

  #respond(scene: Scene): { reply: string } | { asked: unknown } {
    const { heard, meaning, who, place, now } = scene;
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
      case "quit": {
        if (!who) return { reply: "nickname.missing" };
        const own = this.places.find(({ channel, number }) => `${channel}/${number}` === who.home);
        const forgotten = heard.title === undefined ? place : own?.title === null ? own : null;
        this.#quit(who.id, forgotten, now);
        return { reply: "forgotten" };
      }
      case "throw":
        return { reply: this.#hearThrow(scene, meaning) };
      default:
        return this.#question(scene, meaning);
    }
  }

  #nick({ heard, who, here }: Scene, { key, typed }: Extract<Meaning, { type: "nick" }>): string {
    const isOfChannel = "sender" in heard.speaker;
    const account = { channel: isOfChannel ? heard.channel : null, sender: isOfChannel ? senderOf(heard) : null };
    const id = isOfChannel ? `chat_${this.met + 1}` : senderOf(heard);
    const was = who?.name;
    const newcomer = { id, name: "", ...account, home: here, ladders: [] };
    const refused = key === null ? "nickname.invalid" : this.#take(who ?? newcomer, typed);
    if (refused) return refused;
    if (!who && isOfChannel) this.met++;
    return was === undefined ? `named ${shown(typed)}` : `named ${shown(typed)} was ${was}`;
  }

  #games(id: string, isOverheard: boolean): string {
    const lines = this.open
      .filter(({ players }) => players.includes(id))
      .map(({ players, hands }) => {
        const seat = players.indexOf(id);
        const other = this.#person(players[1 - seat])!.name;
        return hands[seat] === null ? `${other} waits` : `${other} ${isOverheard ? "hidden" : hands[seat]}`;
      });
    const latest = this.over.filter(({ players }) => players.includes(id)).slice(-20);
    const last = latest.findLast(({ end }) => end!.includes(" "));
    return ["games", ...(lines.length === 0 ? ["none"] : lines), ...(last ? [this.result(last, id)] : [])].join(", ");
  }

  #hearThrow(
    { heard, who, now }: Scene,
    { hand, at, rated }: Extract<Meaning, { type: "throw" }>,
  ): string {
    if (heard.title !== undefined) return "secret please";
    if (!who) return "nickname.missing";
    const waiting = this.open.flatMap(({ players, hands }) => {
      const seat = players.indexOf(who.id);
      return seat >= 0 && hands[seat] === null ? [players[1 - seat]] : [];
    });
    if (at === null && waiting.length !== 1)
      return ["whom", ...waiting.map((id) => this.#person(id)!.name)].join(" ");
    const opponent = at === null ? waiting[0] : this.#called(at)?.id;
    if (opponent === undefined) return "nickname.unknown";
    if (rated && !heard.ladder?.takesDuels) return "no rated duels";
    const { refused } = this.#challenge(who.id, opponent, hand, rated ? heard.ladder!.id : null, now);
    if (refused) return refused;
    const duel = this.duels.findLast(({ players }) => players.includes(who.id) && players.includes(opponent))!;
    if (duel.end !== null) return this.result(duel, who.id);
    return `waiting for ${this.#person(opponent)!.name}${rated ? " rated" : ""}`;
  }

  #question({ heard, who, place }: Scene, meaning: Question): { reply: string } | { asked: unknown } {
    const ladder: LadderMeant | undefined = heard.ladder;
    if (!ladder) return { reply: "no ladder" };
    const isLooking = meaning.type === "top" || ("of" in meaning && meaning.of !== null);
    if (!who && !isLooking) return { reply: "nickname.missing" };
    const named = (key: string | null) => {
      const found = key === null ? who : this.#called(key);
      return found && { person: found.id, name: found.name };
    };
    let question: unknown = { type: meaning.type };
    if (meaning.type === "match") {
      const players = meaning.players.map(named);
      if (players.includes(undefined)) return { reply: "nickname.unknown" };
      if (meaning.scores.some((score) => score > 1_000)) return { reply: "score too high" };
      question = { type: "match", players, scores: meaning.scores };
    } else if ("of" in meaning) {
      if (!named(meaning.of)) return { reply: "nickname.unknown" };
      question = { type: meaning.type, of: named(meaning.of) };
    }
    if (place && heard.title !== undefined) place.ladder ??= ladder.id;
    if (meaning.type === "register")
      who!.ladders = [...who!.ladders.filter((id) => id !== ladder.id), ladder.id];
    const asker = who ? { person: who.id, name: who.name } : null;
    return { asked: { asker, ladder: ladder.id, question } };
  }
}

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
  readonly now: number;
}

function senderOf({ speaker }: Hear): string {
  return "person" in speaker ? speaker.person : speaker.sender;
}
