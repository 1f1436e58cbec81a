import { mkdirSync, writeFileSync } from "node:fs";
import { buildPages } from "@openseat/web/build";
import { startServer } from "../../packages/server/test/support/server.ts";
import { startChromium } from "../support/chromium.ts";
import { demoPeople } from "./people.ts";
import { pictures } from "./pictures.ts";

/** `npm run screenshots`: takes the screenshots of the docs from a real server with bots and a crowd. */
const target = new URL("../../docs/images/", import.meta.url);
mkdirSync(target, { recursive: true });
await buildPages();
const server = await startServer(["--demo"]);
const browsers = await startChromium();
try {
  const people = await demoPeople(server);
  for (const { name, path, viewport, schemes, prepare } of pictures) {
    for (const colorScheme of schemes) {
      const context = await browsers.person({ viewport, colorScheme, deviceScaleFactor: viewport.scale });
      const page = await context.newPage();
      await page.goto(`${server.url}${path}`);
      await prepare(page);
      // Bots keep the pages busy, so wait for the content and not for an idle network.
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
  await server.stop();
}
