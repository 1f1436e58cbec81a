import { join } from "node:path";
import { pino } from "pino";
import { newNodeName, type Openseat, reachable, startOpenseat } from "../boot/openseat.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Config } from "../config/settings.ts";
import { type Environment, unknownVariables } from "../config/unknown-variables.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { settingsHelp } from "./settings-help.ts";

/** Maximum duration of a stop. Nothing is lost by ending it: acknowledged changes are on the disk. */
const stopMsMax = 15_000;

/** `openseat start`, the default: runs the server until it is stopped. */
export const start: Command = {
  help: `Starts the server, and runs it until it is stopped by Ctrl-C or SIGTERM.

Usage: npx openseat [start] [settings]

${settingsHelp()}`,
  run: runServer,
};

async function runServer(args: readonly string[], environment: Environment): Promise<void> {
  const config = loadConfig(args, environment);
  const say = (text: string) => config.logLevel !== "silent" && process.stderr.write(text);
  const node = newNodeName();
  const plain = pino({ level: config.logLevel }, process.stdout);
  // Without the node's name, collected logs of several nodes could not be told apart.
  const logger = config.databaseUrl === undefined ? plain : plain.child({ node });
  const unknown = unknownVariables(environment);
  // Warn, because a misspelt limit would otherwise only be noticed on the busiest day.
  if (unknown.length > 0) logger.warn(`ignored variables: ${unknown.join(" ")}`);
  let openseat: Openseat | undefined;
  let isStopping = false;
  const end = () =>
    openseat?.stop().then(
      () => logger.info("stopped"),
      (error: unknown) => {
        logger.error({ err: error }, "the stop failed");
        process.exitCode = 1;
      },
    );
  const stop = (signal: NodeJS.Signals) => {
    // npm forwards a Ctrl-C that the terminal has already sent here. The second one must not cut the stop short.
    if (isStopping) return;
    logger.info({ signal }, "stopping");
    // An unavailable database may stay away, so do not wait for it. With a data folder, `process.exit` would wait for the log's
    // thread, which may hang.
    if (!openseat && config.databaseUrl !== undefined) process.exit(0);
    setTimeout(endNow, stopMsMax).unref();
    isStopping = true;
    void end();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  const onWaiting = (reason: string, url: string) =>
    say(`Openseat waits at ${reachable(url)} and continues by itself: ${reason}\n`);
  openseat = await startOpenseat(config, logger, { node, onWaiting });
  if (isStopping) await end();
  else say(greeting(openseat, config));
}

/** Ends the process by a signal: `process.exit` would wait for the log's thread, which may wait for a hanging disk. */
function endNow(): void {
  process.stderr.write(
    `The stop took longer than ${stopMsMax / 1000} seconds, perhaps because the disk hangs, so it was cut short. Everything that was acknowledged is kept.\n`,
  );
  process.kill(process.pid, "SIGKILL");
  // The first process of a container ignores signals from inside.
  process.abort();
}

function greeting(
  { url, operatorUrl, demo }: Openseat,
  { data, databaseUrl, demo: withBots }: Config,
): string {
  const address = reachable(url);
  const keys =
    databaseUrl === undefined
      ? `are in ${join(data, "secrets.json")}`
      : "are in the database: npx openseat keys shows them";
  const lines = [
    `Openseat is at ${address}`,
    `This is version ${version}. npx openseat --help lists commands and settings`,
    ...(demo.arenas.length > 0 ? [withBots ? botsPlay : botsCould] : []),
    `The API is explained at ${address}/docs`,
    `Keys for operators and services ${keys}`,
    ...(operatorUrl === undefined ? [] : [`Operators and metrics are at ${reachable(operatorUrl)}`]),
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}

const botsPlay = "Bots are playing in the demo arenas. Open the address in a browser to watch or to play.";
const botsCould =
  "There are demo rooms to try in one or more browsers. With --demo, bots play in the arenas.";
