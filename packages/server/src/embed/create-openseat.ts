import type { Server } from "node:http";
import type { Openseat as Running } from "../boot/openseat.ts";
import { ConfigError, configFrom, type Settings } from "../config/load-config.ts";
import type { Config } from "../config/settings.ts";
import { nodeProblem } from "../node-needs.ts";
import { attach } from "../transport/http/connections/attach.ts";
import { Mount } from "../transport/http/connections/mount.ts";
import { AppApi } from "./app/app-api.ts";
import { Calls } from "./app/calls.ts";
import { type FastifyHost, mountOn } from "./fastify-plugin.ts";
import { checkLogger, loggerFrom, type OwnLogger } from "./logger.ts";
import { checkMountable } from "./mountable.ts";

/** The settings of docs/reference/settings.md by their keys, and a logger. Nothing is read from the environment. */
export interface OpenseatOptions extends Settings {
  readonly logger?: OwnLogger | false | undefined;
}

export interface AttachOptions {
  /** The path below which Openseat answers, such as `/seats`. */
  readonly prefix: string;
}

/** An Openseat server inside your own program. It does not start by itself. */
export function createOpenseat({ logger, ...settings }: OpenseatOptions = {}): Openseat {
  const problem = nodeProblem();
  if (problem !== undefined) throw new ConfigError([problem]);
  checkLogger(logger);
  return new Openseat(configFrom(settings), settings, logger);
}

class Openseat {
  /** What people, services and operators can do, as calls in this process. Calls before the start wait for it. */
  readonly app: AppApi;
  readonly #config: Config;
  readonly #given: Settings;
  readonly #logger: OwnLogger | false | undefined;
  readonly #abort = new AbortController();
  /** Resolves at the start; to undefined if that fails, and when this server is over. */
  #running = Promise.withResolvers<Running | undefined>();
  #mount: Mount | undefined;
  #server: Server | undefined;
  #detach = () => {};
  #started: (Running & { readonly reachable: (url: string) => string }) | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(config: Config, given: Settings, logger: OwnLogger | false | undefined) {
    this.#config = config;
    this.#given = given;
    this.#logger = logger;
    this.app = new AppApi(new Calls(() => this.#found()));
  }

  /** Where it can be reached. Undefined while it has no address yet. */
  get url(): string | undefined {
    const { url, reachable } = this.#started ?? {};
    if (!this.#mount || !reachable) return url && reachable?.(url);
    if (this.#config.publicUrl !== undefined) return this.#config.publicUrl;
    const address = this.#server?.address();
    if (!address || typeof address === "string") return undefined;
    const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
    const scheme = this.#server && "setSecureContext" in this.#server ? "https" : "http";
    return reachable(`${scheme}://${host}:${address.port}${this.#mount.prefix}`);
  }

  /** The address of operators and metrics, with the setting `operatorPort`. */
  get operatorUrl(): string | undefined {
    const { operatorUrl, reachable } = this.#started ?? {};
    return operatorUrl && reachable?.(operatorUrl);
  }

  /** Opens the data and listens, or lets requests in where it is attached. Calling it again has no further effect. */
  start(): Promise<void> {
    if (this.#stopping)
      return Promise.reject(
        new Error("This Openseat was stopped. Create another one, which may use the same data."),
      );
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    try {
      // Loaded now, because a program may create a server that it does not start.
      const { newNodeName, reachable, startOpenseat } = await import("../boot/openseat.ts");
      const node = newNodeName();
      const logger = loggerFrom(this.#logger, this.#config, node);
      const ingress = this.#mount && { ingress: this.#mount };
      const options = { node, signal: this.#abort.signal, ...ingress };
      this.#started = { ...(await startOpenseat(this.#config, logger, options)), reachable };
      this.#running.resolve(this.#started);
    } catch (error) {
      // Another attempt may succeed, for example once the port is free. Calls that wait are refused now.
      this.#running.resolve(undefined);
      this.#running = Promise.withResolvers();
      this.#starting = undefined;
      throw error;
    }
  }

  /** Finishes what is under way and releases the data. A server that it is attached to keeps running. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#abort.abort(new Error("Openseat was stopped before it had started."));
    await this.#starting?.catch(() => {});
    this.#running.resolve(undefined);
    try {
      await this.#started?.stop();
    } finally {
      this.#detach();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Answers below a path of your own HTTP server, instead of listening. Call it before `start`. */
  attach(server: Server, { prefix }: AttachOptions): void {
    this.#detach = attach(server, this.#mountAt(prefix, server), { takesRequests: true });
  }

  /** The same as a plugin of Fastify 5, which also starts and stops it: `fastify.register(openseat.plugin, { prefix })`. */
  readonly plugin = async (fastify: FastifyHost): Promise<void> => {
    const mount = this.#mountAt(fastify.prefix, fastify.server);
    this.#detach = attach(fastify.server, mount, { takesRequests: false });
    mountOn(fastify, mount, () => this.stop());
    await this.start();
  };

  #mountAt(prefix: string, server: Server): Mount {
    const isLate = this.#mount || this.#starting || this.#stopping;
    if (isLate) throw new ConfigError(["Attach Openseat once, before it starts."]);
    checkMountable(prefix, this.#given);
    this.#server = server;
    this.#mount = new Mount(prefix);
    return this.#mount;
  }

  async #found(): Promise<Running | undefined> {
    return this.#stopping ? undefined : this.#running.promise;
  }
}

export type { Openseat };
