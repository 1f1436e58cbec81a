interface LogLine {
  (fields: object, text: string): void;
  (text: string): void;
}

/** Where the server's log lines go. Loggers of pino fit. */
export interface Logger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  isLevelEnabled(level: "debug"): boolean;
}
