import { type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { waitMsMax } from "../../packages/server/test/support/patience.ts";
import { findBrowser } from "./find-browser.ts";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

type PersonOptions = Pick<
  BrowserContextOptions,
  "javaScriptEnabled" | "viewport" | "colorScheme" | "deviceScaleFactor"
>;

/** Browser contexts with separate cookies in one Chromium. */
export interface Browsers {
  person(options?: PersonOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function startChromium(): Promise<Browsers> {
  const { executablePath, env } = await findBrowser();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: flags,
    headless: true,
    timeout: waitMsMax,
  });
  return {
    async person(options = {}) {
      const context = await browser.newContext({ locale: "en-GB", ...options });
      context.setDefaultTimeout(waitMsMax);
      return context;
    },
    close: () => browser.close(),
  };
}
