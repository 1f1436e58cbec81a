import { ArenaHandle, Arenas } from "./arena.ts";
import { Chat } from "./chat.ts";
import { DuelHandle, Duels } from "./duels.ts";
import { type OpenseatError, refusalIn } from "./errors.ts";
import { GameHandle, Games } from "./game.ts";
import { Http } from "./http/http.ts";
import { Identity, type Person, type PersonChange } from "./identity/identity.ts";
import { renewEveryMs, type TokenSource } from "./identity/own-token.ts";
import { browserStorage, SafeStorage, type Storage } from "./identity/storage.ts";
import { LadderHandle, Ladders } from "./ladder.ts";
import { FollowedPlaces } from "./live/followed-places.ts";
import { Listeners } from "./live/listeners.ts";
import { type Connection, LiveSocket } from "./live/live-socket.ts";
import { MatchesSeen } from "./live/matches-seen.ts";
import { Watches } from "./live/watches.ts";
import { People } from "./people.ts";
import {
  type Clock,
  type Fetch,
  onComeback,
  onStoredElsewhere,
  platformWebSocket,
  type SocketClass,
  systemClock,
} from "./platform.ts";
import type { PlaceDeps } from "./queue/place.ts";
import { QueueHandle, Queues } from "./queue/queue.ts";
import { StoredPlaces } from "./queue/stored-place.ts";
import { Requests } from "./requests.ts";

export interface OpenseatOptions {
  /** The server's address, such as `http://localhost:8080`. In a browser, it defaults to the page's origin. */
  readonly url?: string;
  /**
   * The token of a person, or the key of a service or an operator; or a function that gets it, which is called again
   * when the server refuses the token, for example because it has expired. Without it, the client is a guest.
   */
  readonly token?: TokenSource;
  /** Where the guest and their places in queues are stored. Default: `localStorage` in browsers, memory elsewhere. */
  readonly storage?: Storage;
  readonly fetch?: Fetch;
  /** Default: the platform's. Node has none before version 22; there, queues are polled, and nothing else can be watched. */
  readonly webSocket?: SocketClass;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Receives errors of listeners, and refusals that no call returns. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** A client of one server, as one person. */
export class Openseat {
  readonly games: Games;
  readonly arenas: Arenas;
  readonly ladders: Ladders;
  readonly people: People;
  readonly queues: Queues;
  readonly chat: Chat;
  readonly duels: Duels;
  readonly #http: Http;
  readonly #identity: Identity;
  readonly #requests: Requests;
  readonly #socket: LiveSocket;
  readonly #watches: Watches;
  readonly #followed: FollowedPlaces;
  readonly #places: PlaceDeps;
  readonly #clock: Clock;
  readonly #seen = new MatchesSeen();
  readonly #connections: Listeners<[connection: Connection]>;
  readonly #persons: Listeners<[person: Person, change: PersonChange]>;
  readonly #report: (error: unknown) => void;
  readonly #stopListening: readonly (() => void)[];
  /** The person that the live connection is authenticated as, unless the token was refused. */
  #authenticatedAs: string | undefined;
  #isTokenRefused = false;
  #cancelRenewal = () => {};
  #isClosed = false;

  constructor(options: OpenseatOptions = {}) {
    const url = addressOf(options.url);
    const { clock = systemClock, random = Math.random, onError = (error) => console.error(error) } = options;
    this.#report = onError;
    this.#clock = clock;
    this.#connections = new Listeners(onError);
    this.#persons = new Listeners(onError);
    const fetch: Fetch = options.fetch ?? ((address, request) => globalThis.fetch(address, request));
    this.#http = new Http({ url, fetch, clock, random });
    const storage = new SafeStorage(options.storage ?? browserStorage());
    this.#identity = new Identity({
      http: this.#http,
      storage,
      storageKey: `openseat.guest ${url}`,
      token: options.token,
      clock,
      onChange: (person, change) => this.#onPerson(person, change),
      onRenewed: () => this.#onRenewed(),
    });
    this.#requests = new Requests(this.#http, this.#identity);
    this.#socket = new LiveSocket({
      url: `${url.replace(/^http/, "ws")}/api/v1/live`,
      socketClass: () => options.webSocket ?? platformWebSocket(),
      clock,
      random,
      authenticate: () => this.#authenticate(),
      onConnection: (connection) => this.#onConnection(connection),
      onOpen: () => this.#onOpen(),
      onFeed: (message) => this.#watches.take(message),
      onPlace: (message) => this.#followed.take(message),
    });
    this.#followed = new FollowedPlaces(this.#socket);
    this.#watches = new Watches({ socket: this.#socket, clock, random, report: onError });
    this.games = new Games(this.#requests);
    this.arenas = new Arenas(this.#requests);
    this.ladders = new Ladders(this.#requests);
    this.people = new People(this.#requests);
    this.queues = new Queues(this.#requests);
    this.chat = new Chat(this.#requests, this.#watches, onError);
    this.duels = new Duels(this.#requests);
    this.#places = {
      requests: this.#requests,
      followed: this.#followed,
      stored: new StoredPlaces(storage, url),
      clock,
      report: onError,
      me: () => this.me?.id,
    };
    this.#stopListening = [
      onComeback(() => this.#onComeback()),
      onStoredElsewhere(() => this.#identity.syncPerson()),
    ];
  }

  /** The person of this client; undefined if there is none yet. */
  get me(): Person | undefined {
    return this.#identity.me;
  }

  /** The person of this client. Creates a guest, with this name if given, if there is none yet. */
  guest(name?: string): Promise<Person> {
    return this.#identity.guest(name);
  }

  /** Renames this guest. */
  rename(name: string): Promise<Person> {
    return this.#identity.rename(name);
  }

  /** Calls the listener when this client becomes a person, is renamed, or becomes a new guest because its token expired. */
  onPerson(listener: (person: Person, change: PersonChange) => void): () => void {
    return this.#persons.add(listener);
  }

  get connection(): Connection {
    return this.#socket.connection;
  }

  onConnection(listener: (connection: Connection) => void): () => void {
    return this.#connections.add(listener);
  }

  game(id: string): GameHandle {
    return new GameHandle(id, this.#requests, this.#watches);
  }

  arena(id: string): ArenaHandle {
    return new ArenaHandle(id, this.#requests, this.#watches, this.#seen);
  }

  ladder(id: string): LadderHandle {
    return new LadderHandle(id, this.#requests, this.#watches, this.#clock, () => this.me?.id);
  }

  duel(id: string): DuelHandle {
    return new DuelHandle(id, this.#requests);
  }

  queue(id: string): QueueHandle {
    return new QueueHandle(id, this.#watches, this.#places);
  }

  /** Stops everything. Pending requests fail with `client.closed`, and no listener is called any more. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stopListening) stop();
    this.#cancelRenewal();
    this.#watches.close();
    this.#followed.close();
    this.#socket.close();
    this.#http.close();
  }

  #onConnection(connection: Connection): void {
    if (connection !== "open") this.#followed.onLost();
    this.#connections.notify(connection);
  }

  #onComeback(): void {
    this.#socket.reconnectNow();
    this.#followed.askNow();
  }

  #onOpen(): void {
    this.#watches.resume();
    this.#followed.resume();
    // The person changed while the connection was being authenticated.
    if (this.#authenticatedAs !== this.me?.id) void this.#authenticateAgain();
  }

  #onPerson(person: Person, change: PersonChange): void {
    if (this.#isClosed) return;
    if (this.#authenticatedAs !== person.id) {
      if (this.#socket.connection === "open") void this.#authenticateAgain();
      else this.#watches.rewatchForPerson();
    }
    this.#persons.notify(person, change);
  }

  get #viewer(): string | undefined {
    return this.#isTokenRefused ? undefined : this.#authenticatedAs;
  }

  /** Otherwise the connection would end when its older token expires. */
  #onRenewed(): void {
    if (!this.#isClosed && this.#socket.connection === "open") void this.#authenticateAgain();
  }

  async #authenticateAgain(): Promise<void> {
    const before = this.#viewer;
    try {
      await this.#authenticate();
      if (this.#viewer === before) return;
      this.#watches.rewatchForPerson();
      this.#followed.resume();
    } catch {
      this.#socket.reconnect("authentication as the new person failed");
    }
  }

  /** Authenticates the connection. A client without a person may watch too. */
  async #authenticate(): Promise<void> {
    try {
      const token = await this.#identity.token();
      this.#authenticatedAs = this.me?.id;
      if (token === undefined) return;
      const { status, body } = await this.#socket.ask({ type: "auth", token });
      const refusal = refusalIn(body, status, undefined);
      if (!refusal) {
        this.#identity.confirm(token);
        this.#isTokenRefused = false;
        this.#watches.onTokenAccepted();
      } else if (await this.#identity.replaceAfter(refusal, token)) await this.#authenticate();
      else throw refusal;
    } catch (error) {
      const { code, retryable } = error as OpenseatError;
      if (retryable && code !== "client.no-token") throw error;
      this.#onTokenRefused(error as OpenseatError);
    }
  }

  /** Watches as an anonymous viewer. The watchers are told, because they no longer keep their places by watching. */
  #onTokenRefused(error: OpenseatError): void {
    if (this.#isClosed) return;
    if (!this.#isTokenRefused) this.#report(error);
    this.#isTokenRefused = true;
    this.#watches.onTokenRefused(error);
    if (!this.#identity.canRenew) return;
    this.#cancelRenewal();
    this.#cancelRenewal = this.#clock.after(renewEveryMs, () => this.#onRenewed());
  }
}

function addressOf(url: string | undefined): string {
  const given = url ?? (typeof location === "undefined" ? undefined : location.origin);
  if (given === undefined || !/^https?:\/\/[^/]/.test(given))
    throw new TypeError("Openseat needs the url of its server, such as http://localhost:8080.");
  return given.replace(/\/+$/, "");
}
