import type { Millis, PersonId } from "../values.ts";

export type Create = {
  readonly type: "create";
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  readonly creator: string;
};
export type Join = { readonly type: "join"; readonly person: PersonId };
export type Leave = { readonly type: "leave"; readonly person: PersonId };
export type End = { readonly type: "end"; readonly by: string; readonly asOperator: boolean };
type Tick = { readonly type: "tick" };

export type GameCommand = Create | Join | Leave | End | Tick;
