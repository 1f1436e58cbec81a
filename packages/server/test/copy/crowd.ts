import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FolderSecrets } from "../../src/config/folder-secrets.ts";
import { loadSecrets } from "../../src/config/secrets.ts";
import { rotateKeys } from "../../src/config/signing-keys.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { fill } from "../log/contract.ts";
import { range } from "../support/http.ts";

/** A log with rows in every table and more batches than fit on a page: 100 in each of game/s1 to game/s50. */
export async function crowdIn(folder: string): Promise<void> {
  const log = await SqliteLog.open(folder);
  for (const index of range(50)) await fill(log, `game/s${index + 1}`, sizes);
  const { hash, version } = (await log.head("game/s1"))!;
  await log.saveSnapshot("game/s1", { version, hash, parts: [Uint8Array.of(0, 255), Uint8Array.of(7)] });
  await log.close();
  const db = new DatabaseSync(join(folder, "openseat.db"));
  db.exec(otherRows);
  db.close();
  const secrets = new FolderSecrets(folder);
  await loadSecrets(secrets);
  await rotateKeys(secrets, 0);
}

/** Batches of one, two and three entries in turn. */
const sizes = range(100).map((index) => 1 + (index % 3));

/** Not what a ladder would write, because their content does not matter to a copy. */
const otherRows = `
  INSERT INTO players (ladder, number, person, name, rating, enrolled_at) VALUES (1, 1, 'ann', 'Ann', 1500.1, 5);
  INSERT INTO matches VALUES (1, 1, 'ann k', 1, 'counted', 1, 2, 3, 0, 'first', 6, NULL, 6);
  INSERT INTO rating_history VALUES (1, 1, 1, 1, NULL, 2, 1500.1, 1516.000000000001, NULL, NULL, -0.25);
  INSERT INTO outbox VALUES (7, 1, 1, 'sms/1', '{"text":"\\u0000 \\\\ Grüße"}', NULL, NULL);
  INSERT INTO outbox VALUES (8, 1, 2, 'sms/1', '{}', 'It was refused.', 9);
  INSERT INTO outbox VALUES (9, 1, 3, 'sms/1', '{}', NULL, NULL);
  DELETE FROM outbox WHERE number = 9;
`;
