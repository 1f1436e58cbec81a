/** Unpacks the Chromium of the npm package into the temporary folder. `npm-chromium.ts` runs it with a folder of its own. */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
