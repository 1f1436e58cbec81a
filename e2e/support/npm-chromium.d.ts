import type { Browser } from "./find-browser.ts";
/** Whether the Chromium from npm runs here. The package supports only Linux on x64. */
export declare function hasNpmChromium(): boolean;
/** The Chromium inside the npm package, unpacked on first use, with the libraries and fonts that come with it. */
export declare function npmChromium(): Promise<Browser>;
