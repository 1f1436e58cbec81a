import {
  type DirectoryCommand,
  directoryLimits,
  duelLimits,
  type Hand,
  type RefusalCode,
} from "@openseat/kernel";
import { type Asked, type Meaning, spellings } from "./script.ts";
import { hours, week } from "./stage.ts";

/** What others do is told to one person so many times an hour, by text messages so many times. */
const noticesMax = 100;
const noticesBySmsMax = 20;
/** What one person does is told so many times an hour, and so many times to the same person on a channel. */
const noticesFromOneMax = 30;
const noticesOfPairMax = 5;

export interface ModelPerson {
  readonly id: string;
  name: string;
  readonly channel: string | null;
  readonly sender: string | null;
  home: string;
  ladders: string[];
  readonly namedAt: number;
  usedAt: number;
  hasPlayed: boolean;
}

export interface ModelPlace {
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
export const shown = (typed: string) => typed.replaceAll("\u200b", "").normalize("NFC");

/** Which of the known names it is, however it is written; undefined for none of them. */
export function keyOf(name: string): string | undefined {
  return Object.keys(spellings).find((key) => spellings[key].some((each) => shown(each) === shown(name)));
}

/** The plainest directory there can be: lists, looked through from the beginning. What people write is in `hearing-model.ts`. */
export class DirectoryModel {
  people: ModelPerson[] = [];
  places: ModelPlace[] = [];
  /** All that ever were, and in the order of their ends those that are over. */
  readonly duels: ModelDuel[] = [];
  readonly over: ModelDuel[] = [];
  readonly heard: Record<string, number> = {};
  /** Of those who were told something that they did not ask for. */
  readonly notices: Record<string, { since: number; count: number }> = {};
  /** Who had whom told something, of this hour of the clock. */
  told: { hour: number; by: string; to: string }[] = [];
  met = 0;
  conversations = 0;
  protected sent: string[] = [];
  protected now = 0;

  get open(): ModelDuel[] {
    return this.duels.filter(({ end }) => end === null);
  }

  get due(): number | undefined {
    const times = [
      ...this.open.map(({ lapsesAt }) => lapsesAt),
      ...this.places.flatMap(({ forgetAt }) => forgetAt ?? []),
    ];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  do({ command, meaning }: Asked, now: number): Expected {
    this.sent = [];
    this.now = now;
    const outcome = this.ask(command, meaning);
    return { ...outcome, sent: outcome.refused ? [] : this.sent.sort() };
  }

  /** What people write is heard elsewhere. */
  protected ask(command: DirectoryCommand, _meaning: Meaning | undefined): Omit<Expected, "sent"> {
    switch (command.type) {
      case "hear":
        throw new Error("nobody listens here");
      case "take-name": {
        const known = this.person(command.person);
        const home = known?.home ?? `conversation/${command.person}`;
        const nobody = { name: "", channel: null, sender: null, ladders: [], ...this.fresh };
        const who = known ?? { id: command.person, home, ...nobody };
        const refused = this.take(who, command.nickname);
        return refused ? { refused } : {};
      }
      case "quit":
        return this.quit(command.person, this.own(command.person)) ? {} : { refused: "nickname.missing" };
      case "challenge": {
        if (!this.person(command.person)) return { refused: "nickname.missing" };
        const opponent = this.called(keyOf(command.opponent) ?? "");
        if (!opponent) return { refused: "nickname.unknown" };
        return this.challenge(command.person, opponent.id, command.hand, command.ladder);
      }
      case "throw":
      case "drop":
        return this.#inDuel(command);
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
      case "recall":
        return { refused: "delivery.not-found" };
      case "tick":
        this.#tick();
        return {};
    }
  }

  protected person(id: string | undefined): ModelPerson | undefined {
    return this.people.find((each) => each.id === id);
  }

  protected called(key: string): ModelPerson | undefined {
    return this.people.find(({ name }) => keyOf(name) === key);
  }

  protected placeAt(home: string): ModelPlace | undefined {
    return this.places.find(({ channel, number }) => `${channel}/${number}` === home);
  }

  /** Where this person alone is told things, on a channel. */
  protected own(id: string): ModelPlace | null {
    const place = this.placeAt(this.person(id)?.home ?? "");
    return place?.title === null ? place : null;
  }

  /** In a group, everybody sees whom it is for, and `inGroup` is said besides. */
  protected tell(id: string, what: string, inGroup = ""): void {
    const who = this.person(id);
    if (!who) return;
    const isGroup = (this.placeAt(who.home)?.title ?? null) !== null;
    this.sent.push(`${who.home} told ${isGroup ? `${who.name}: ${what}${inGroup}` : what}`);
  }

  /** `by` caused it; undefined for timeouts. Whether they were told; those who are not known count as told. */
  #tellUnasked(by: string | undefined, id: string, what: string, inGroup = ""): boolean {
    const who = this.person(id);
    if (!who) return true;
    const hour = Math.floor(this.now / hours);
    const sender = by && this.#senderOf(by);
    const own = this.told.filter((each) => each.hour === hour && each.by === sender);
    const isEnough = own.length >= noticesFromOneMax;
    // On our own pages nothing rings.
    const isOnPage = who.home.startsWith("conversation/");
    const isTooOften = !isOnPage && own.filter(({ to }) => to === id).length >= noticesOfPairMax;
    if (isEnough || isTooOften) return false;
    if (sender !== undefined)
      this.told = [...this.told.filter((each) => each.hour === hour), { hour, by: sender, to: id }];
    const known = this.notices[id];
    if (!known || this.now - known.since > hours) this.notices[id] = { since: this.now, count: 0 };
    const nth = ++this.notices[id].count;
    const max = who.home.startsWith("sms/") ? noticesBySmsMax : noticesMax;
    if (nth < max) this.tell(id, what, inGroup);
    if (nth === max) this.tell(id, "enough");
    return true;
  }

  /** Somebody on a channel is the same sender after quitting and coming back. */
  #senderOf(id: string): string {
    const { channel = null, sender = null } = this.person(id) ?? {};
    return channel === null ? id : `${channel} ${sender}`;
  }

  protected take(who: ModelPerson, typed: string): RefusalCode | undefined {
    const key = keyOf(typed);
    if (key === undefined) return "nickname.invalid";
    if (who.name === shown(typed)) return "nickname.same";
    if ((this.called(key)?.id ?? who.id) !== who.id) return "nickname.taken";
    if (!this.people.includes(who)) {
      if (this.people.length >= directoryLimits.peopleMax && !this.#evictPerson()) return "directory.full";
      this.people.push(who);
    }
    who.usedAt = this.hour;
    who.name = shown(typed);
    for (const ladder of who.ladders)
      this.sent.push(`ladder/${ladder} ${JSON.stringify({ named: [who.id, who.name] })}`);
    return undefined;
  }

  /** LM6: of those without an account, who has least to lose; among equals, who was idle longest. */
  #evictPerson(): boolean {
    const tier = ({ id, ladders, namedAt, usedAt, hasPlayed }: ModelPerson) => {
      if (this.open.some(({ players }) => players.includes(id))) return 3;
      return ladders.length > 0 ? 2 : hasPlayed || usedAt > namedAt ? 1 : 0;
    };
    const since = (each: ModelPerson) => (tier(each) === 0 ? each.namedAt : each.usedAt);
    const [first] = this.people
      .filter(({ channel }) => channel === null)
      .sort((a, b) => tier(a) - tier(b) || since(a) - since(b) || (a.id < b.id ? -1 : 1));
    return first !== undefined && this.quit(first.id, null);
  }

  /** Of somebody who takes a first nickname now. */
  protected get fresh() {
    return { namedAt: this.now, usedAt: 0, hasPlayed: false };
  }

  /** The one that it is, as a time. */
  protected get hour(): number {
    return this.now - (this.now % hours);
  }

  /** They did something just now. */
  protected use(id: string): void {
    const known = this.person(id);
    if (known) known.usedAt = this.hour;
  }

  protected quit(id: string, place: ModelPlace | null): boolean {
    const who = this.person(id);
    if (!who) return false;
    for (const duel of this.open.filter(({ players }) => players.includes(id))) this.drop(duel, id, true);
    for (const ladder of who.ladders) this.sent.push(`ladder/${ladder} ${JSON.stringify({ gone: id })}`);
    this.people = this.people.filter((each) => each !== who);
    delete this.notices[id];
    if (place) place.forgetAt = this.now + hours;
    return true;
  }

  protected challenge(
    id: string,
    opponent: string,
    hand: Hand | null,
    ladder: string | null,
  ): { refused?: RefusalCode } {
    if (id === opponent) return { refused: "duel.self" };
    const open = this.between(id, opponent);
    if (open) return hand === null ? { refused: "duel.exists" } : this.#throw(open, id, hand, ladder);
    if (this.open.filter(({ players }) => players[0] === id).length >= duelLimits.openedByOneMax)
      return { refused: "duel.too-many" };
    const crowded = this.#crowded(opponent);
    if (crowded) this.#evictDuel(crowded, id);
    const number = this.duels.length + 1;
    const both = { hands: [null, null], ladders: [null, null] } as Pick<ModelDuel, "hands" | "ladders">;
    const duel: ModelDuel = {
      number,
      players: [id, opponent],
      ...both,
      lapsesAt: this.now + week,
      names: null,
      end: null,
    };
    this.duels.push(duel);
    this.use(id);
    const rated = hand && ladder ? " rated" : "";
    this.#tellUnasked(id, opponent, `challenged by ${this.person(id)!.name}${rated}`, ", in private");
    if (hand === null) return {};
    this.#resetPair(id, opponent);
    duel.hands[0] = hand;
    duel.ladders[0] = ladder;
    return {};
  }

  /** LM6: of all challenges of one, or of all duels, when there are too many: the oldest of whoever has opened most. */
  #crowded(opponent: string): ModelDuel | undefined {
    const { open } = this;
    const weight = ({ players }: ModelDuel) => open.filter((each) => each.players[0] === players[0]).length;
    const heaviest = (duels: readonly ModelDuel[]) => {
      const most = Math.max(...duels.map(weight));
      return duels.find((duel) => weight(duel) === most);
    };
    const challenges = open.filter(({ players }) => players[1] === opponent);
    const unanswered = challenges.filter(({ hands }) => hands[1] === null);
    if (challenges.length >= duelLimits.challengesToOneMax)
      return heaviest(unanswered.length > 0 ? unanswered : challenges);
    return open.length >= duelLimits.openMax ? heaviest(open) : undefined;
  }

  #evictDuel(duel: ModelDuel, cause: string): void {
    this.#end(duel, "crowded");
    this.#tellOfEnd(duel, cause);
  }

  protected between(one: string, other: string): ModelDuel | undefined {
    return this.open.find(({ players }) => one !== other && players.includes(one) && players.includes(other));
  }

  #throw(duel: ModelDuel, id: string, hand: Hand, ladder: string | null): { refused?: RefusalCode } {
    const seat = duel.players.indexOf(id);
    if (duel.hands[seat] !== null) return { refused: "duel.thrown" };
    duel.hands[seat] = hand;
    duel.ladders[seat] = ladder;
    const other = duel.players[1 - seat];
    this.#resetPair(id, other);
    this.use(id);
    if (duel.hands[1 - seat] === null) {
      const words = [`thrown by ${this.person(id)!.name}${ladder ? " rated" : ""}`, ", in private"] as const;
      if (seat === 1) this.tell(other, ...words);
      else this.#tellUnasked(id, other, ...words);
      return {};
    }
    const [first, second] = duel.hands as [Hand, Hand];
    const winner = first === second ? null : beats[first] === second ? 0 : 1;
    const counts = duel.ladders[0] !== null && duel.ladders[0] === duel.ladders[1] ? duel.ladders[0] : null;
    this.#end(duel, `${first} ${second} ${winner} ${counts}`);
    this.tell(other, this.result(duel, other));
    for (const each of duel.players) this.person(each)!.hasPlayed = true;
    if (counts === null) return {};
    for (const who of duel.players.map((each) => this.person(each)!))
      if (!who.ladders.includes(counts)) who.ladders.unshift(counts);
    const scores = [winner === 0 ? 1 : 0, winner === 1 ? 1 : 0];
    const body = { players: duel.players, names: duel.names, scores, duel: true };
    this.sent.push(`ladder/${counts} ${JSON.stringify(body)}`);
    return {};
  }

  /** `id` has answered `other`, so the notices by `other` were wanted. */
  #resetPair(id: string, other: string): void {
    const sender = this.#senderOf(other);
    this.told = this.told.filter(({ by, to }) => by !== sender || to !== id);
  }

  #end(duel: ModelDuel, end: string): void {
    const [one, other] = duel.players.map((id) => this.person(id)!.name);
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

  /** By one of the two; or by nobody, when its time is over. */
  protected drop(duel: ModelDuel, by: string | null, isGone = false): void {
    if (by !== null) this.use(by);
    const own = duel.players[0] === by ? "withdrawn" : "declined";
    const reason = by === null ? "lapsed" : isGone ? "gone" : own;
    this.#end(duel, reason);
    this.#tellOfEnd(duel, by ?? undefined);
  }

  /** Who was challenged and has not answered need not know; but a page shows it. */
  #tellOfEnd(duel: ModelDuel, cause: string | undefined): void {
    for (const [seat, id] of duel.players.entries()) {
      const cares = seat === 0 || duel.hands[1] !== null || this.person(id)?.home.startsWith("conversation/");
      if (id !== cause && cares) this.#tellUnasked(cause, id, `${duel.end} ${duel.names![1 - seat]}`);
    }
  }

  #inDuel(command: Extract<DirectoryCommand, { type: "throw" | "drop" }>): { refused?: RefusalCode } {
    const duel = this.duels.find(({ number }) => number === command.duel);
    if (!duel?.players.includes(command.person)) return { refused: "duel.not-found" };
    if (duel.end !== null) return { refused: this.#isRemembered(duel) ? "duel.over" : "duel.not-found" };
    if (command.type === "throw") return this.#throw(duel, command.person, command.hand, command.ladder);
    this.drop(duel, command.person);
    return {};
  }

  /** It is one of the latest of either of the two. */
  #isRemembered(duel: ModelDuel): boolean {
    return duel.players.some((id) =>
      this.over
        .filter(({ players }) => players.includes(id))
        .slice(-20)
        .includes(duel),
    );
  }

  #pass({ from, notices }: Extract<DirectoryCommand, { type: "pass" }>): { refused?: RefusalCode } {
    const fresh = notices.filter(({ version }) => version > (this.heard[from] ?? 0));
    if (fresh.length === 0) return { refused: "delivery.repeated" };
    this.heard[from] = fresh[fresh.length - 1].version;
    const told = fresh.filter(({ tell, text, by }) => this.#tellUnasked(by, tell, text));
    for (const { tell, by } of told) if (by !== undefined) this.#resetPair(by, tell);
    return {};
  }

  #move(channel: string, from: string, to: string): { refused?: RefusalCode } {
    const at = (place: string) =>
      this.places.find((each) => each.channel === channel && each.place === place);
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

  #tick(): void {
    for (const duel of this.open) if (duel.lapsesAt <= this.now) this.drop(duel, null);
    this.places = this.places.filter(({ forgetAt }) => forgetAt === null || forgetAt > this.now);
  }
}
