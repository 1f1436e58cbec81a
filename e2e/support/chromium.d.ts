import { type BrowserContext, type BrowserContextOptions } from "playwright-core";
type PersonOptions = Pick<BrowserContextOptions, "javaScriptEnabled" | "viewport" | "colorScheme" | "deviceScaleFactor">;
/** Browser contexts with separate cookies in one Chromium. */
export interface Browsers {
    person(options?: PersonOptions): Promise<BrowserContext>;
    close(): Promise<void>;
}
export declare function startChromium(): Promise<Browsers>;
export {};
