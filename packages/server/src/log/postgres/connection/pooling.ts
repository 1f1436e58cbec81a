import { LogUnusable } from "../../log.ts";
import type { Session } from "./session.ts";

/** Other clients of the pooler may hide the sharing in one round, but not in all. */
const rounds = 20;

/**
 * Refuses a pooler in transaction mode: notifications would be lost, and settings and prepared statements leak to other
 * clients. With such a pooler, either this connection changes its server process or a second connection shares it.
 */
export async function assertNotPooledByTransaction(
  session: Session,
  connectAgain: () => Promise<Session>,
): Promise<void> {
  if (!session.isPooled) return;
  const other = await connectAgain();
  try {
    const own = await backendOf(session);
    for (let round = 0; round < rounds; round++)
      if ((await backendOf(session)) !== own || (await backendOf(other)) === own) throw refusal();
  } finally {
    await other.close();
  }
}

async function backendOf(session: Session): Promise<number> {
  const [{ backend }] = await session.rows("SELECT pg_backend_pid() AS backend");
  return backend;
}

function refusal(): LogUnusable {
  return new LogUnusable(
    "The database URL leads to a pooler in transaction mode, which Openseat cannot use. Give the address of PostgreSQL itself, or set the pooler to session mode (in pgbouncer: pool_mode = session).",
  );
}
