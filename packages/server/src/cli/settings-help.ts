import type { Setting } from "../config/setting.ts";
import { flagOf, type SettingName, settings } from "../config/settings.ts";

/** Each topic begins with this setting, in the order of the settings. */
const topics: Partial<Record<SettingName, string>> = {
  strict: "Addresses",
  data: "Data",
  demo: "Demo and logs",
  operatorKey: "Keys, tokens and roles",
  chatLadder: "Chat",
  trustProxy: "Proxies and visitors' addresses",
  writesPerPersonMax: "Limits",
  residentRoomsMax: "Memory",
};

/** All settings, by topic. */
export function settingsHelp(): string {
  const rows = Object.entries(settings).flatMap(([name, setting]) => {
    const topic = topics[name as SettingName];
    return [...(topic === undefined ? [] : ["", topic]), rowOf(name, setting)];
  });
  return [
    "Each setting is a flag, a variable, or a key of the JSON file given with --config; in that order of precedence.",
    `  --${"config".padEnd(24)} ${"".padEnd(32)} A JSON file of settings, by their names: { "port": 8080, "logLevel": "warn" }.`,
    ...rows,
    "",
  ].join("\n");
}

function rowOf(name: string, setting: Setting): string {
  const fallback = setting.default === undefined ? "" : ` (${String(setting.default)})`;
  return `  --${flagOf(name).padEnd(24)} ${setting.variable.padEnd(32)} ${setting.help}${fallback}`;
}
