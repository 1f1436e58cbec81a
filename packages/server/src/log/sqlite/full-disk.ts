import { statfsSync } from "node:fs";

/** SQLITE_FULL */
const fullCode = 13;
/** With less, the next commits would most likely fail again, and the log would be called well and ill in turns. */
const freeBytesMin = 1 << 20;

/** Nothing was written, because there is no space left. */
class DiskFull extends Error {
  override readonly name = "DiskFull";
}

export function isDiskFull(error: Error & { readonly errcode?: number }): boolean {
  return error.errcode === fullCode;
}

/** Fails while the disk of this folder has too little space. */
export function assertSpace(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < freeBytesMin) throw new DiskFull("database or disk is full");
}
