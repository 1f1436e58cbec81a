/** What the package `openseat` exports. docs/compatibility.md says what stays. */

export { ConfigError, type Settings } from "../config/load-config.ts";
export { type Actor, operator, type Person, service } from "./actor.ts";
export type { AppApi } from "./app/app-api.ts";
export type { CallOptions, CallResult, PageQuery, RoomListQuery } from "./app/calls.ts";
export {
  type AttachOptions,
  createOpenseat,
  type Openseat,
  type OpenseatOptions,
} from "./create-openseat.ts";
export type { OwnLogger } from "./logger.ts";
