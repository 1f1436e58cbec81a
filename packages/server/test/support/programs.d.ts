interface Wanted {
    /** The environment variable with the program's path, which takes precedence. */
    readonly variable: string;
    /** Its name on the PATH. */
    readonly names: readonly string[];
    /** Its usual path if it is not on the PATH. */
    readonly paths?: readonly string[];
    /** The argument that makes it print its version and exit. */
    readonly versionFlag?: string;
}
/** The path of a program that runs on this machine, or undefined if there is none. Nothing is installed. */
export declare function findProgram(wanted: Wanted): string | undefined;
export {};
