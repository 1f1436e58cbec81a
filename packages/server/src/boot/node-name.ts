import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** A name for this node that no other has, not even this one after a restart: what it left behind is not its own any more. */
export function newNodeName(): string {
  return `${hostname()}-${randomBytes(4).toString("hex")}`;
}
