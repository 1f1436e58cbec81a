import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Mount } from "./mount.ts";

interface Attachment {
  readonly mount: Mount;
  /** Otherwise only upgrades are intercepted: the other program's router passes requests on. */
  readonly takesRequests: boolean;
}

/** Of Node's HTTP server: whether a request for an upgrade becomes the event `upgrade` or `request`. */
interface Upgrading {
  shouldUpgradeCallback?: (this: unknown, request: IncomingMessage) => boolean;
}

const attachments = new WeakMap<Server, Set<Attachment>>();

/** Passes the requests below the mount's prefix to it, until the returned function is called. */
export function attach(
  server: Server,
  mount: Mount,
  { takesRequests }: Omit<Attachment, "mount">,
): () => void {
  const attached = attachments.get(server) ?? intercept(server);
  const { prefix } = mount;
  if ([...attached].some(({ mount: other }) => other.prefix === prefix))
    throw new Error(
      `Another Openseat is attached to this server at ${prefix}. Stop it first, or choose another prefix.`,
    );
  const attachment = { mount, takesRequests };
  attached.add(attachment);
  return () => attached.delete(attachment);
}

/**
 * Intercepts events instead of listening: listeners of the other program, such as those of WebSocket libraries, would also get
 * each event, and some answer every request that they do not know.
 */
function intercept(server: Server & Upgrading): Set<Attachment> {
  const attached = new Set<Attachment>();
  attachments.set(server, attached);
  const covering = (request: IncomingMessage) =>
    [...attached]
      .filter(({ mount }) => mount.covers(request))
      .sort((a, b) => b.mount.prefix.length - a.mount.prefix.length)[0];
  const { emit, shouldUpgradeCallback } = server;
  // Node closes the socket of an upgrade that has no listener.
  server.on("upgrade", () => {});
  const isListenedTo = () => server.listenerCount("upgrade") > 1;
  server.emit = (event: string, ...given: unknown[]): boolean => {
    const found = events.includes(event) ? covering(given[0] as IncomingMessage) : undefined;
    if (!found || (event !== "upgrade" && !found.takesRequests)) {
      // Only on a Node that does not ask `shouldUpgradeCallback`.
      if (event === "upgrade" && !isListenedTo()) (given[1] as Duplex).destroy();
      return emit.call(server, event, ...given);
    }
    pass(found.mount, event, given as Given);
    return true;
  };
  server.shouldUpgradeCallback = (request) =>
    covering(request)?.mount.mayUpgrade(request) ??
    (isListenedTo() && shouldUpgradeCallback?.call(server, request) !== false);
  return attached;
}

const events = ["request", "checkContinue", "upgrade"];

type Given = [request: IncomingMessage, answer: ServerResponse | Duplex, head: Buffer];

function pass(mount: Mount, event: string, [request, answer, head]: Given): void {
  if (event === "upgrade") {
    mount.upgrade(request, answer as Duplex, head);
    return;
  }
  const response = answer as ServerResponse;
  if (event === "checkContinue") response.writeContinue();
  mount.handle(request, response);
}
