/** The folder of this test run, if `scripts/test.ts` created one. It is in memory if the machine has enough. */
export declare const runFolder: string | undefined;
interface TempFolder {
    readonly path: string;
    remove(): void;
}
/** For tests of crashes and of the disk itself. */
export declare const diskFolder: () => TempFolder;
/** An empty folder that is deleted with the test. Its name does not matter. */
export declare function tempFolder(parent?: string): TempFolder;
export {};
