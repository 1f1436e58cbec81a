import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { nearestOf } from "./nearest.ts";
import type { Setting } from "./setting.ts";
import { type Config, flagOf, type SettingName, settings } from "./settings.ts";
import { type Environment, isServiceLink, unknownVariables } from "./unknown-variables.ts";

/** The configuration is invalid. `problems` are sentences for the person who starts the server. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** A value as given, and its source for error messages. */
interface Given {
  readonly value: unknown;
  readonly where: string;
}

const names = Object.keys(settings) as SettingName[];

/** Precedence: flags, variables, file, defaults. Everything is checked before anything starts. */
export function loadConfig(args: readonly string[], environment: Environment): Config {
  const flags = readFlags(args);
  const file = flags.get("config");
  const sources = [flags, readVariables(environment), ...(file ? [readFile(String(file.value))] : [])];
  const { config, problems } = checked(sources);
  if (config.strict) problems.push(...unknownVariables(environment));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Settings as a program gives them, by their names. A setting that is undefined is not given. */
export type Settings = {
  readonly [Name in SettingName]?:
    | Config[Name]
    | ((typeof settings)[Name] extends { readonly alone: string } ? boolean | number : never)
    | undefined;
};

/** For a program that contains the server. Reads neither flags nor variables. */
export function configFrom(given: Settings): Config {
  const found = Object.entries(given).filter(([, value]) => value !== undefined);
  const unknown = found.map(([name]) => name).filter((name) => !names.includes(name as SettingName));
  const source = new Map(found.map(([name, value]) => [name, { value, where: name }]));
  const { config, problems } = checked([source], withNames);
  const all = [...unknown.map(unknownSetting), ...problems];
  if (all.length > 0) throw new ConfigError(all);
  return config;
}

function unknownSetting(name: string): string {
  const near = nearestOf(names, name);
  return `${name} is not a setting. ${near === undefined ? "docs/reference/settings.md lists all settings." : `Did you mean ${near}?`}`;
}

/** In sentences about settings together, variables become the names that the program uses. */
function withNames(sentence: string): string {
  return sentence.replace(
    /\b[A-Z][A-Z_]+\b/g,
    (word) => names.find((name) => settings[name].variable === word) ?? word,
  );
}

/** The first source that has a setting decides. `worded` adapts sentences about several settings. */
function checked(sources: readonly Map<string, Given>[], worded = (sentence: string) => sentence) {
  const problems: string[] = [];
  const values = names.map((name) => {
    const setting: Setting = settings[name];
    const given = sources.find((source) => source.has(name))?.get(name);
    return [name, given ? check(setting, given, problems) : setting.default];
  });
  const config: Config = Object.fromEntries(values);
  problems.push(...contradictions(config).map(worded));
  return { config, problems };
}

function readFlags(args: readonly string[]): Map<string, Given> {
  const options: Record<string, { type: "string" | "boolean" }> = { config: { type: "string" } };
  for (const name of names)
    options[flagOf(name)] = { type: settings[name].kind === "switch" ? "boolean" : "string" };
  try {
    const { values } = parseArgs({ args: withValues(args), options, allowNegative: true, strict: true });
    const flags = new Map<string, Given>();
    for (const name of [...names, "config"]) {
      const value = values[flagOf(name)];
      if (value !== undefined) flags.set(name, { value, where: `--${flagOf(name)}` });
    }
    return flags;
  } catch (error) {
    const [sentence] = (error as Error).message.split(". To specify");
    const unknown = /^Unknown option '--(?:no-)?([^']+)'/.exec(sentence)?.[1];
    const near = unknown && nearestOf(names.map(flagOf), unknown);
    const hint = near ? ` Did you mean --${near}?` : "";
    throw new ConfigError([`${sentence.replace(/\.$/, "")}.${hint} --help shows all settings.`]);
  }
}

/** Gives flags without a value their implied one: `--trust-proxy`, `--no-trust-proxy`. */
function withValues(args: readonly string[]): string[] {
  const values = new Map<string, string>();
  for (const name of names) {
    const setting: Setting = settings[name];
    const alone = setting.kind === "text" ? setting.alone : undefined;
    if (alone === undefined) continue;
    values.set(`--${flagOf(name)}`, alone);
    values.set(`--no-${flagOf(name)}`, "false");
  }
  return args.map((arg, index) => {
    const value = values.get(arg);
    const isNegative = arg.startsWith("--no-");
    const isAlone = isNegative || (args[index + 1] ?? "-").startsWith("-");
    return value !== undefined && isAlone ? `${arg.replace(/^--no-/, "--")}=${value}` : arg;
  });
}

function readVariables(environment: Environment): Map<string, Given> {
  const variables = new Map<string, Given>();
  for (const name of names) {
    const { variable } = settings[name];
    const value = environment[variable];
    if (value !== undefined && value !== "" && !isServiceLink(variable, value))
      variables.set(name, { value, where: variable });
  }
  return variables;
}

function readFile(path: string): Map<string, Given> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    // Do not show the parser's message: it quotes the text, which may be a key.
    const why = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new ConfigError([`The configuration file ${path} cannot be read: ${why}.`]);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError([`The configuration file ${path} must hold one JSON object.`]);
  }
  const unknown = Object.keys(content).filter((name) => !names.includes(name as SettingName));
  if (unknown.length > 0)
    throw new ConfigError(
      unknown.map((name) => `"${name}" in ${path} is not a setting. --help shows all settings.`),
    );
  return new Map(
    Object.entries(content).map(([name, value]) => [name, { value, where: `"${name}" in ${path}` }]),
  );
}

function check(setting: Setting, { value, where }: Given, problems: string[]): unknown {
  const shown = setting.secret ? "what was given" : JSON.stringify(value);
  switch (setting.kind) {
    case "number": {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      if (Number.isInteger(number) && Number(number) >= setting.min && Number(number) <= setting.max)
        return number;
      problems.push(`${where} must be a whole number from ${setting.min} to ${setting.max}, not ${shown}.`);
      return undefined;
    }
    case "switch":
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0") return false;
      problems.push(`${where} must be true or false, not ${shown}.`);
      return undefined;
    case "text": {
      const text = setting.alone === undefined || typeof value === "object" ? value : String(value);
      if (typeof text === "string" && text !== "" && (setting.pattern?.test(text) ?? true)) return text;
      problems.push(`${where} must be ${setting.shape ?? "a text"}, not ${shown}.`);
      return undefined;
    }
  }
}

/** Settings that are valid by themselves but not together, each by its error message. */
function contradictions(config: Config): string[] {
  const { issuer, issuerSecret, issuerJwksUrl, operatorKey, serviceKey, publicUrl } = config;
  const { port, operatorPort, telegramToken, telegramWebhook } = config;
  const sms = [config.twilioAccountSid, config.twilioAuthToken, config.smsFrom].filter(Boolean).length;
  const broken: Readonly<Record<string, unknown>> = {
    "Give OPENSEAT_ISSUER_SECRET or OPENSEAT_ISSUER_JWKS_URL, not both.": issuerSecret && issuerJwksUrl,
    "OPENSEAT_ISSUER must name the issuer of your tokens (their `iss`).":
      (issuerSecret || issuerJwksUrl) && !issuer,
    "OPENSEAT_ISSUER needs OPENSEAT_ISSUER_SECRET or OPENSEAT_ISSUER_JWKS_URL beside it.":
      issuer && !issuerSecret && !issuerJwksUrl,
    "OPENSEAT_ISSUER cannot be openseat: that is the issuer of this server's guests.": issuer === "openseat",
    "OPENSEAT_ISSUER cannot be OPENSEAT_PUBLIC_URL: that is the issuer of admission tokens.":
      issuer && issuer === publicUrl,
    "OPENSEAT_TELEGRAM_WEBHOOK needs OPENSEAT_TELEGRAM_TOKEN beside it.": telegramWebhook && !telegramToken,
    "OPENSEAT_TELEGRAM_WEBHOOK needs OPENSEAT_PUBLIC_URL: Telegram sends messages there.":
      telegramWebhook && !publicUrl,
    "Text messages need all of OPENSEAT_TWILIO_ACCOUNT_SID, OPENSEAT_TWILIO_AUTH_TOKEN and OPENSEAT_SMS_FROM.":
      sms > 0 && sms < 3,
    "Text messages need OPENSEAT_PUBLIC_URL: Twilio signs incoming messages together with it.":
      sms === 3 && !publicUrl,
    "OPENSEAT_DEMO needs guests: its bots play as guests.": config.demo && !config.guests,
    "OPENSEAT_OPERATOR_PORT cannot be PORT.": operatorPort && operatorPort === port,
    "The operator key and the service key must differ.": operatorKey && operatorKey === serviceKey,
  };
  return Object.keys(broken).filter((sentence) => broken[sentence]);
}
