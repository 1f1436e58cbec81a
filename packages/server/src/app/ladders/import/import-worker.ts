/** Runs in a thread, because reading a large file takes a second. */
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { asWord, type ImportRow, type Millis, type Refusal } from "@openseat/kernel";
import type { Refused } from "../../result.ts";
import { importRows } from "./import-rows.ts";

export interface ImportFile {
  readonly type: "csv" | "json";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rowsMax: number;
  readonly now: Millis;
}

/** The rows as JSON arrays, each small enough to be parsed on the main thread at once. */
export interface ImportChunks {
  readonly digest: string;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

export type ImportRead = ImportChunks | Refused;

const chunkRows = 500;

const port = parentPort;
if (!port) throw new Error("This module runs only as a worker thread of the server.");

port.on("message", (file: ImportFile) => {
  const read = readFile(file);
  port.postMessage(read, "chunks" in read ? read.chunks.map(({ buffer }) => buffer) : []);
});

function readFile({ type, bytes, rowsMax, now }: ImportFile): ImportRead {
  const text = textOf(bytes);
  if (text === undefined) return { refusal: notUtf8 };
  const read = importRows({ type, text, rowsMax }, now);
  return "refusal" in read ? read : { digest: digestOf(read.rows), chunks: chunksOf(read.rows) };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const notUtf8: Refusal = {
  code: "import.invalid",
  message: "The file is not in UTF-8. Please save it in UTF-8 and send it again.",
};

/** The same rows are the same import, whatever the file. */
function digestOf(rows: readonly ImportRow[]): string {
  const digest = createHash("sha256");
  for (const { players, scores, at } of rows)
    digest.update(`${players.map(asWord).join(" ")} ${scores.join(" ")} ${at}\n`);
  return digest.digest("hex").slice(0, 32);
}

function chunksOf(rows: readonly ImportRow[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const chunks = [];
  for (let start = 0; start < rows.length; start += chunkRows)
    chunks.push(encoder.encode(JSON.stringify(rows.slice(start, start + chunkRows))));
  return chunks;
}
