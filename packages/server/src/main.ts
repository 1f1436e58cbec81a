#!/usr/bin/env node
import { join } from "node:path";
import { pino } from "pino";
import { ConfigError, helpText, loadConfig } from "./config/load-config.ts";
import type { Config } from "./config/settings.ts";
import { rotateKeys } from "./config/signing-keys.ts";
import { type Openseat, reachable, startOpenseat } from "./openseat.ts";

/** A stop that takes longer than this is ended: whatever is acknowledged is on the disk already. */
const stopMsMax = 15_000;

const rotateFlag = "--rotate-keys";

/** The edge: the only place that reads the environment, prints for people, and ends the process. */
async function main(): Promise<void> {
  // What cannot be printed is lost; a full disk under the logs must not stop the server.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(helpText());
    return;
  }
  const config = loadConfig(
    args.filter((arg) => arg !== rotateFlag),
    process.env,
  );
  if (args.includes(rotateFlag)) {
    process.stdout.write(
      `Admission tokens are now signed with the new key ${rotateKeys(config.data, Date.now())}.\n`,
    );
    return;
  }
  const logger = pino({ level: config.logLevel }, process.stdout);
  const openseat = await startOpenseat(config, logger);
  if (config.logLevel !== "silent") process.stderr.write(greeting(openseat, config));
  const stop = (signal: NodeJS.Signals) => {
    logger.info({ signal }, "stopping");
    setTimeout(() => process.exit(1), stopMsMax).unref();
    openseat.stop().then(
      () => logger.info("stopped"),
      (error: unknown) => {
        logger.error({ err: error }, "the stop failed");
        process.exitCode = 1;
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function greeting({ url, demo }: Openseat, { data, demo: withBots }: Config): string {
  const address = reachable(url);
  const lines = [
    `Openseat is at ${address}`,
    ...(demo.arenas.length > 0 ? [withBots ? botsPlay : botsCould] : []),
    `The API is explained at ${address}/docs`,
    `Keys for operators and services are in ${join(data, "secrets.json")}`,
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}

const botsPlay =
  "Bots are playing in the demo arenas: open it in a browser to watch them, or to take them on.";
const botsCould =
  "There are demo rooms: open it in a browser, or in several. With --demo, bots play in the arenas.";

main().catch((error: unknown) => {
  const { name, message, stack } = error as Error;
  // These are told in a sentence; a stack would only frighten.
  const known = ["ConfigError", "FolderTaken", "LogUnusable", "LogUnavailable", "SecretsUnreadable"];
  const expected = known.includes(name) || "code" in (error as object);
  const inUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  const text = inUse ? `${message}. Another program uses that port; choose one with --port.` : message;
  process.stderr.write(`${expected ? text : stack}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
