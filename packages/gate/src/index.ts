export { type FetchGate, openseatGate, type Verdict } from "./fetch.ts";
export type { Completion, Visit } from "./gate.ts";
export { GateMisconfigured, OpenseatAway, OpenseatBusy } from "./openseat/failures.ts";
export type { GateOptions } from "./options.ts";
export type { Bypass } from "./visit/bypass.ts";
export type { GateContext, GateRequest } from "./visit/request.ts";
