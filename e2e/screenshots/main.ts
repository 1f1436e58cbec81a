import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPages } from "@openseat/web";
import { pino } from "pino";
import { startOpenseat } from "../../packages/server/src/boot/openseat.ts";
import { loadConfig } from "../../packages/server/src/config/load-config.ts";
import { startChromium } from "../support/chromium.ts";
import { demoPeople } from "./people.ts";
import { pictures } from "./pictures.ts";

/** `npm run screenshots`: the pictures of the docs, made from the real pages of a real server with bots and a crowd. */
const target = new URL("../../docs/images/", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "openseat-screenshots-"));
mkdirSync(target, { recursive: true });
await buildPages();
const flags = ["--port", "0", "--data", join(folder, "data"), "--demo", "--trust-proxy"];
const openseat = await startOpenseat(loadConfig(flags, {}), pino({ level: "silent" }));
const browsers = await startChromium();
try {
  const people = await demoPeople(openseat.url, join(folder, "data"));
  for (const { name, path, viewport, schemes, prepare } of pictures) {
    for (const colorScheme of schemes) {
      const context = await browsers.person({ viewport, colorScheme, deviceScaleFactor: viewport.scale });
      const page = await context.newPage();
      await page.goto(`${openseat.url}${path}`);
      await prepare(page);
      // The pages are never quite still while bots play, so wait for what has to be there and not for silence.
      await page.evaluate(() => document.fonts.ready);
      const file = `${name}-${colorScheme}.png`;
      writeFileSync(new URL(file, target), await page.screenshot({ animations: "disabled" }));
      console.log(`docs/images/${file}`);
      await context.close();
    }
  }
  people.leave();
} finally {
  await browsers.close();
  await openseat.stop();
  rmSync(folder, { recursive: true, force: true });
}
