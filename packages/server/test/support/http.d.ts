import { type IncomingHttpHeaders } from "node:http";
export type Json = any;
export interface Answer {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
    /** The body as JSON; undefined if it is not JSON. */
    readonly body: Json;
}
export interface Call {
    readonly method?: string;
    readonly token?: string | undefined;
    readonly key?: string | undefined;
    readonly body?: unknown;
    /** Sent unchanged, instead of `body`. */
    readonly rawBody?: string | Buffer;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    /** Timeout for the answer. */
    readonly timeoutMs?: number;
}
/** Plain HTTP over persistent connections, like a crowd behind a few proxies. */
export declare class Client {
    #private;
    constructor(url: string, socketsMax?: number);
    call(path: string, call?: Call): Promise<Answer>;
    get(path: string, call?: Call): Promise<Answer>;
    post(path: string, call?: Call): Promise<Answer>;
    /** The id of a game created by `creator`. */
    newGame(fields?: Readonly<Record<string, unknown>>, creator?: string): Promise<string>;
    join(game: string, person: string, key?: string): Promise<Answer>;
    leave(game: string, person: string, key?: string): Promise<Answer>;
    end(game: string, person?: string, key?: string): Promise<Answer>;
    canJoin(game: string, person: string): Promise<Json>;
    /** The public view of the game, with its version. */
    look(game: string): Promise<Json>;
    /** All participants, page by page. */
    participants(game: string, limit?: number): Promise<Json[]>;
    close(): void;
}
/** Asserts the shape that all refusals have. */
export declare function assertRefused(answer: Answer, status: number, code: string, what?: string): void;
/** Asserts a refusal as invalid input that names the field. */
export declare function assertInvalid(answer: Answer, field: string, what?: string): void;
/** Runs `work` for each of `items` with this concurrency. */
export declare function eachOf<T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>): Promise<R[]>;
export declare const range: (length: number) => number[];
/** Sends bytes to the server and returns its output until it closes, or until `enough`. */
export declare function sayRaw(url: string, bytes: string | Buffer, enough?: (heard: string) => boolean): Promise<string>;
/** Waits for something that must happen, and says what was missing if it did not. */
export declare function until<T>(what: string, check: () => Promise<T | undefined | false> | T | undefined | false, msMax?: number): Promise<T>;
/** The promise, or an error that says what did not arrive. */
export declare function within<T>(what: string, promise: Promise<T>, msMax?: number): Promise<T>;
/** The value of a gauge or counter of /metrics. */
export declare function metric(client: Client, name: string): Promise<number>;
