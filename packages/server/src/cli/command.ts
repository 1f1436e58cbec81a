import type { Environment } from "../config/unknown-variables.ts";

/** A command of `npx openseat`. */
export interface Command {
  /** What `npx openseat COMMAND --help` prints. */
  readonly help: string;
  run(args: readonly string[], environment: Environment): Promise<void>;
}
