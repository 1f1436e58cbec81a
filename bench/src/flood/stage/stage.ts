import { freePort } from "../../children.ts";
import { type Address, LoadError } from "../../load.ts";
import { Openseat } from "../../openseat-server.ts";
import { calmQueue } from "../../room-settings.ts";
import { ask, bearer, type Question } from "./http-ask.ts";

const politeGuests = 40;
const setUpDeadlineMs = 30_000;

/**
 * A heap that fits a machine with 1 GB: an attack that needs more crashes the server. With a larger limit, V8 lets
 * garbage grow to four times the live heap, and memory says little about the attack.
 */
const heapMegabytesMax = 512;

export type Guest = { readonly id: string; readonly token: string };

/** The address of polite people; attackers use other loopback addresses. */
const politeAddress = "127.0.0.1";

/** A server with default settings, the rooms for polite people, and their guest identities. */
export class Stage {
  readonly server: Openseat;
  /** The port of the server's inspector once it is opened. */
  readonly inspectorPort: number;
  game = "";
  queue = "";
  guests: readonly Guest[] = [];

  private constructor(server: Openseat, inspectorPort: number) {
    this.server = server;
    this.inspectorPort = inspectorPort;
  }

  static async open(program: string, settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const inspectorPort = await freePort();
    const nodeOptions = `--max-old-space-size=${heapMegabytesMax} --inspect-port=127.0.0.1:${inspectorPort}`;
    const server = new Openseat(program, undefined, { NODE_OPTIONS: nodeOptions, ...settings });
    const stage = new Stage(server, inspectorPort);
    try {
      await server.start();
      await stage.#furnish();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  get target(): Address {
    return { ...this.server.address, localAddress: politeAddress };
  }

  /** Whether the server is still running. */
  get isAlive(): boolean {
    return this.server.lastWords === undefined;
  }

  /** Sends a request with a token, to prepare an attack. Returns the data of the answer. */
  async ask(token: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const json = body && JSON.stringify(body);
    const headers = { ...bearer(token), ...(json && { "content-type": "application/json" }) };
    const question: Question = { method, path, headers, ...(json && { body: json }) };
    const { status, text } = await ask(this.target, question, { deadlineMs: setUpDeadlineMs });
    if (status >= 300) throw new LoadError(`${method} ${path} was answered ${status}: ${text}`);
    return JSON.parse(text).data;
  }

  async close(): Promise<void> {
    await this.server.stop("SIGKILL");
    await this.server.remove();
  }

  async #furnish(): Promise<void> {
    this.game = await this.server.createGame("Polite game");
    this.queue = await this.server.createQueue({ ...calmQueue, id: "polite" });
    // Admits nobody, so that people wait in it, as in a real waiting room.
    await this.server.operate("POST", `/api/v1/queues/${this.queue}/pause`);
    this.guests = await Promise.all(Array.from({ length: politeGuests }, () => this.#newGuest()));
  }

  async #newGuest(): Promise<Guest> {
    const question = { method: "POST", path: "/api/v1/guests" };
    const { status, text } = await ask(this.target, question, { deadlineMs: setUpDeadlineMs });
    if (status !== 201) throw new LoadError(`A polite guest was answered ${status}: ${text}`);
    const { token, person } = JSON.parse(text).data;
    return { id: person.id, token };
  }
}
