/**
 * How long tests wait for something that must happen. A busy machine may stop a test or its servers for half a minute, so the
 * limit is far above the usual wait.
 */
export declare const waitMsMax = 120000;
/** Runs a part of a case, and records whether it took longer than this. */
export type InTime = <T>(msMax: number, work: () => Promise<T>) => Promise<T>;
/**
 * For outcomes that depend on real clocks, such as a lease of a database. If a part took too long, or this process stalled, a
 * failure says nothing about the server, and the case runs again. A failure in time counts.
 */
export declare function againIfLate(run: (inTime: InTime) => Promise<void>): Promise<void>;
