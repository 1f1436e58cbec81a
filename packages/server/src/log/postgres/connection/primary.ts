import { LogUnavailable, LogUnusable } from "../../log.ts";
import { type DatabaseServer, serversOf } from "./database-url.ts";
import { Session, type SessionTerms } from "./session.ts";

/** Minimum timeout per server, so that a slow network does not look like an outage. */
const connectMsMin = 1_000;

/** The server in a database URL that accepts writes. It changes after a failover. */
export class Primary {
  /** The last known primary comes first. */
  #servers: readonly DatabaseServer[];

  constructor(url: string) {
    // The session rejects a malformed URL with a sentence.
    this.#servers = serversOf(url) ?? [{ name: "", url }];
  }

  /** Tries the servers one by one. They share `connectMs`. */
  async connect({ connectMs, ...terms }: Omit<SessionTerms, "url">): Promise<Session> {
    const servers = this.#servers;
    const isOne = servers.length === 1;
    const eachMs = isOne ? connectMs : Math.max(connectMsMin, connectMs / servers.length);
    const failures: string[] = [];
    for (const server of servers) {
      try {
        const session = await Session.connect({ ...terms, url: server.url, connectMs: eachMs });
        this.#servers = [server, ...servers.filter((other) => other !== server)];
        return session;
      } catch (error) {
        if (isOne || error instanceof LogUnusable) throw error;
        failures.push(`${server.name}: ${(error as Error).message}`);
      }
    }
    const message = "None of the database servers can be used as the primary.";
    throw new LogUnavailable(message, { detail: `${message} ${failures.join(" ")}` });
  }
}
