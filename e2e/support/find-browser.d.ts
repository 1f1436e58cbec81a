export interface Browser {
    readonly executablePath: string;
    /** Environment variables that it needs. */
    readonly env: Readonly<Record<string, string>>;
}
/** Why no browser was found; undefined if there is one. */
export declare const missingBrowser: string | undefined;
/** The browser named by the variable, or one of this machine, or the one from npm. */
export declare function findBrowser(): Promise<Browser>;
