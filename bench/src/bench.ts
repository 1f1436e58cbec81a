import { Bare } from "./bare.ts";
import { BareRequests } from "./contenders.ts";
import { HttpLoad } from "./http-load.ts";
import { LoadError } from "./load.ts";
import { Openseat } from "./openseat-server.ts";
import type { Options } from "./options.ts";
import type { Progress } from "./progress.ts";
import { WsLoad } from "./ws-load.ts";

/** What every scenario needs: the options, the bare server with its client, and new Openseat servers. */
export class Bench {
  readonly options: Options;
  readonly progress: Progress;
  readonly bare: Bare;
  readonly bareLoad: HttpLoad;
  readonly bareRequests = new BareRequests();

  private constructor(options: Options, progress: Progress, bare: Bare) {
    this.options = options;
    this.progress = progress;
    this.bare = bare;
    this.bareLoad = new HttpLoad(bare.address, options.connections);
  }

  static async start(options: Options, progress: Progress): Promise<Bench> {
    return new Bench(options, progress, await Bare.start());
  }

  async stop(): Promise<void> {
    this.bareLoad.close();
    await this.bare.stop();
  }

  /** Each scenario has its own Openseat, so that memory left by an earlier one does not affect the next. */
  async withOpenseat<T>(
    measure: (server: Openseat) => Promise<T>,
    beforeStart?: (server: Openseat) => Promise<void>,
    program = this.options.server,
  ): Promise<T> {
    const server = new Openseat(program);
    try {
      await beforeStart?.(server);
      await server.start();
      return await measure(server);
    } catch (error) {
      if (!(error instanceof LoadError) || server.lastWords === undefined) throw error;
      throw new LoadError(`${error.message}\nOpenseat has ended. Its last output:\n${server.lastWords}`);
    } finally {
      await server.remove();
    }
  }

  httpLoad(server: Openseat): HttpLoad {
    return new HttpLoad(server.address, this.options.connections);
  }

  wsLoad(server: Openseat): WsLoad {
    return new WsLoad(server.address, this.options.wsConnections, this.options.wsInFlight);
  }
}
