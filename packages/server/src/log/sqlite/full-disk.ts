import { statfsSync } from "node:fs";

/** SQLITE_FULL */
const fullCode = 13;
/** With less, the next commits would probably fail again. */
const freeBytesMin = 1 << 20;

class DiskFull extends Error {
  override readonly name = "DiskFull";
}

export function isDiskFull(error: Error & { readonly errcode?: number }): boolean {
  return error.errcode === fullCode;
}

export function assertSpace(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < freeBytesMin) throw new DiskFull("database or disk is full");
}
