import { homedir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../packages/server/test/support/programs.ts";
import { hasNpmChromium, npmChromium } from "./npm-chromium.ts";

export interface Browser {
  readonly executablePath: string;
  /** Environment variables that it needs. */
  readonly env: Readonly<Record<string, string>>;
}

const variable = "OPENSEAT_TEST_BROWSER";

const names = [
  ...["google-chrome-stable", "google-chrome", "chrome", "chromium", "chromium-browser"],
  ...["microsoft-edge-stable", "microsoft-edge", "msedge"],
];

const macApplications = ["Google Chrome", "Chromium", "Microsoft Edge"];
const windowsPrograms = [
  "Google/Chrome/Application/chrome.exe",
  "Chromium/Application/chrome.exe",
  "Microsoft/Edge/Application/msedge.exe",
];

function usualPaths(): string[] {
  if (process.platform === "darwin")
    return ["/Applications", join(homedir(), "Applications")].flatMap((folder) =>
      macApplications.map((name) => join(folder, `${name}.app/Contents/MacOS/${name}`)),
    );
  if (process.platform === "win32") {
    const { ProgramFiles, "ProgramFiles(x86)": oldProgramFiles, LocalAppData } = process.env;
    return [ProgramFiles, oldProgramFiles, LocalAppData].flatMap((folder) =>
      folder === undefined ? [] : windowsPrograms.map((program) => join(folder, program)),
    );
  }
  return ["/usr/bin", "/usr/local/bin", "/snap/bin"].flatMap((folder) =>
    names.map((name) => join(folder, name)),
  );
}

const ofThisMachine = findProgram({ variable, names, paths: usualPaths() });

/** Why no browser was found; undefined if there is one. */
export const missingBrowser =
  ofThisMachine === undefined && !hasNpmChromium()
    ? `no Chromium, Chrome or Edge found; install one or set ${variable}`
    : undefined;

/** The browser named by the variable, or one of this machine, or the one from npm. */
export async function findBrowser(): Promise<Browser> {
  return ofThisMachine === undefined ? npmChromium() : { executablePath: ofThisMachine, env: {} };
}
