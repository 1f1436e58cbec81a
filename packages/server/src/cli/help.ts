import { commandNamed, commands } from "./commands.ts";
import { settingsHelp } from "./settings-help.ts";

/** `openseat help COMMAND`, `openseat COMMAND --help`, and `openseat --help` without a command. */
export async function showHelp(command?: string): Promise<void> {
  process.stdout.write(command === undefined ? generalHelp() : (await commandNamed(command)).help);
}

export function generalHelp(): string {
  const rows = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(12)} ${does}`);
  return `Openseat decides who sits, who waits and who is next.

Usage: npx openseat [command] [settings]

Commands (npx openseat COMMAND --help says more about one)
${rows.join("\n")}

  -h, --help     Prints this, or the help of the command.
  -v, --version  Prints the version.

${settingsHelp()}
Exit codes: 0 after success and after a stop by a signal, 1 if the command failed, 2 if a setting or an argument is wrong.
`;
}
