import { setTimeout as sleep } from "node:timers/promises";
import { LoadError } from "../../load.ts";

const timeoutMs = 30_000;
const pollMs = 50;

/** A server program for Node's inspector, which listens on `--inspect-port`. */
export type Inspected = { readonly pid: number; readonly inspectorPort: number };

/**
 * Live bytes after a garbage collection: objects and buffers. Unlike the memory in use, this does not depend on the
 * last collection. The server is paused meanwhile, so nothing may be measured.
 */
export async function retainedBytes({ pid, inspectorPort }: Inspected): Promise<number> {
  // Node opens its inspector on this signal and keeps it open.
  process.kill(pid, "SIGUSR1");
  const socket = new WebSocket(await inspectorUrl(inspectorPort));
  try {
    await eventOf(socket, "open");
    await call(socket, { id: 1, method: "HeapProfiler.collectGarbage" });
    const params = { expression: "process.memoryUsage()", returnByValue: true };
    const { result } = await call(socket, { id: 2, method: "Runtime.evaluate", params });
    const { heapUsed, external } = (result as { value: NodeJS.MemoryUsage }).value;
    return heapUsed + external;
  } finally {
    socket.close();
  }
}

async function inspectorUrl(port: number): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/json/list`);
      const [{ webSocketDebuggerUrl }] = (await response.json()) as [{ webSocketDebuggerUrl: string }];
      return webSocketDebuggerUrl;
    } catch (error) {
      if (performance.now() > deadline)
        throw new LoadError(`Node's inspector did not open: ${(error as Error).message}`);
      await sleep(pollMs);
    }
  }
}

type Call = { readonly id: number; readonly method: string; readonly params?: object };

async function call(socket: WebSocket, message: Call): Promise<Record<string, unknown>> {
  const answered = eventOf(socket, "message");
  socket.send(JSON.stringify(message));
  const { id, result } = JSON.parse(String(((await answered) as MessageEvent).data));
  if (id !== message.id || result === undefined)
    throw new LoadError(`Node's inspector did not answer ${message.method}.`);
  return result;
}

function eventOf(socket: WebSocket, name: "open" | "message"): Promise<Event> {
  const late = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new LoadError("Node's inspector ended the connection, or was silent."));
    socket.addEventListener(name, resolve, { once: true });
    socket.addEventListener("close", fail, { once: true });
    late.addEventListener("abort", fail, { once: true });
  });
}
