export { assert, type Millis, type PersonId, type TicketNumber } from "./values.ts";
