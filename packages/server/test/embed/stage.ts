import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenseat, type Openseat, type OpenseatOptions } from "../../src/embed/index.ts";
import { type TempFolder, tempFolder } from "../support/folder.ts";
import { Client, within } from "../support/http.ts";
import { storeFlags } from "../support/store.ts";

/** A quiet server without demo rooms on this folder, or on the database that replaces it. */
export async function openseatOn(folder: TempFolder, options: OpenseatOptions = {}): Promise<Openseat> {
  const [, databaseUrl] = await storeFlags(folder.path);
  const usual = { data: folder.path, databaseUrl, demo: false, logger: false } as const;
  return createOpenseat({ ...usual, ...options });
}

/** An application's own HTTP server, which says which of its requests it got. */
export class HostServer {
  readonly server: Server;
  readonly client: Client;
  readonly url: string;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.client = new Client(this.url);
  }

  static async start(
    listener: RequestListener = ({ url }, response) => void response.end(`the host has ${url}`),
  ): Promise<HostServer> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new HostServer(server);
  }

  async stop(): Promise<void> {
    this.client.close();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await within("the end of the host", closed);
  }
}

export { tempFolder };
