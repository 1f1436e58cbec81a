import { pino } from "pino";
import { ConfigError } from "../config/load-config.ts";
import type { Config } from "../config/settings.ts";
import type { Logger } from "../logger.ts";

interface Write {
  (fields: object, text: string): void;
  (text: string): void;
}

/** Your own logger: a logger of pino or Fastify, or any object with these methods, such as `console`. */
export interface OwnLogger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** Without it, `logLevel` decides whether each request is logged. */
  isLevelEnabled?(level: string): boolean;
  child?(fields: Record<string, unknown>): OwnLogger;
}

export function checkLogger(given: OwnLogger | false | undefined): void {
  if (given === undefined || given === false) return;
  const missing = levels.filter((level) => typeof given?.[level] !== "function");
  if (missing.length > 0)
    throw new ConfigError([
      `logger must have the methods ${levels.join(", ")}, or be false. It lacks ${missing.join(", ")}.`,
    ]);
}

const levels = ["debug", "info", "warn", "error"] as const;

const ignore = () => {};
const silent: Logger = {
  ...{ debug: ignore, info: ignore, warn: ignore, error: ignore },
  isLevelEnabled: () => false,
};

/** The given logger, or none (`false`), or by default one that writes JSON lines to standard output. */
export function loggerFrom(given: OwnLogger | false | undefined, config: Config, node: string): Logger {
  if (given === false) return silent;
  // With a stream, pino adds no listener to the process.
  const usual = given ?? pino({ level: config.logLevel }, process.stdout);
  // Without the node's name, collected logs of several nodes could not be told apart.
  const own = config.databaseUrl === undefined ? usual : (usual.child?.({ node }) ?? usual);
  const isVerbose = config.logLevel === "debug" || config.logLevel === "trace";
  return {
    debug: own.debug.bind(own),
    info: own.info.bind(own),
    warn: own.warn.bind(own),
    error: own.error.bind(own),
    isLevelEnabled: (level) => own.isLevelEnabled?.(level) ?? isVerbose,
  };
}
