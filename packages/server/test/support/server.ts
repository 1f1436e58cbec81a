import { join } from "node:path";
import { after, before } from "node:test";
import { pino } from "pino";
import { type Openseat, type StartOptions, startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { diskFolder, tempFolder } from "./folder.ts";
import { Client } from "./http.ts";
import { raisedLimits } from "./limits.ts";
import { dropDatabaseOf, secretsOf, storeFlags } from "./store.ts";
import { issuerFlags } from "./tokens.ts";

export { diskFolder, tempFolder };

/** Rooms leave memory as soon as possible, so that every test includes reloading from the log. */
const testFlags = ["--no-demo", "--idle-seconds", "1", ...raisedLimits];

export interface TestServer {
  readonly url: string;
  /** The operators' URL, if they have their own port. */
  readonly operatorUrl: string | undefined;
  readonly app: Openseat["app"];
  readonly client: Client;
  readonly folder: string;
  readonly guestSecret: string;
  readonly operatorKey: string;
  readonly serviceKey: string;
  /** Stops it and starts another one on the same folder; `more` flags are for the new one. */
  restart(more?: readonly string[]): Promise<TestServer>;
  stop(): Promise<void>;
}

interface TestOptions extends StartOptions {
  /** Receives each log line at the finest level. By default nothing is logged. */
  readonly onLog?: (line: string) => void;
}

/** The whole server in this process, on a free port and its own folder or database. */
export function startServer(
  flags: readonly string[] = issuerFlags,
  folder: Folder = ownFolder(),
  options: TestOptions = {},
): Promise<TestServer> {
  return startOn(folder, flags, options);
}

/** A server for the suite in which this is called. */
export function serverOfSuite(...given: Parameters<typeof startServer>): {
  readonly server: TestServer;
  readonly client: Client;
} {
  let server: TestServer;
  before(async () => {
    server = await startServer(...given);
  });
  after(() => server.stop());
  return { server: standIn(() => server), client: standIn(() => server.client) };
}

/** A placeholder until the real value exists. */
function standIn<T extends object>(find: () => T): T {
  return new Proxy({} as T, {
    get(_, name) {
      const found = find();
      const value = Reflect.get(found, name);
      return typeof value === "function" ? value.bind(found) : value;
    },
  });
}

interface Folder {
  readonly path: string;
  remove(): void | Promise<void>;
}

function ownFolder(): Folder {
  const { path, remove } = tempFolder();
  return {
    path,
    async remove() {
      await dropDatabaseOf(join(path, "data"));
      remove();
    },
  };
}

async function startOn(folder: Folder, flags: readonly string[], options: TestOptions): Promise<TestServer> {
  const data = join(folder.path, "data");
  const given = ["--port", "0", "--data", data, ...(await storeFlags(data)), ...testFlags, ...flags];
  const { onLog } = options;
  const logger = onLog ? pino({ level: "trace" }, { write: onLog }) : pino({ level: "silent" });
  const openseat = await startOpenseat(loadConfig(given, {}), logger, options);
  const client = new Client(openseat.url);
  const { guestSecret, operatorKey, serviceKey } = await secretsOf(data);
  const end = async () => {
    client.close();
    await openseat.stop();
  };
  return {
    url: openseat.url,
    operatorUrl: openseat.operatorUrl,
    app: openseat.app,
    client,
    folder: data,
    ...{ guestSecret, operatorKey, serviceKey },
    async restart(more = []) {
      await end();
      return startOn(folder, [...flags, ...more], options);
    },
    async stop() {
      await end();
      await folder.remove();
    },
  };
}
