import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port for a program that cannot choose one itself. It is below the system's ephemeral ports, so that it is still free when
 * the program starts or restarts.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    const port = randomInt(20_000, 32_000);
    server.once("error", () => resolve(freePort()));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(port)));
  });
}
