import type { Access } from "../../auth/access.ts";

/** AU2: who may use a route, or send a message. */
export function accessSentence(access: Access): string {
  if (access === "public") return "Open to anyone. A token that is sent must be valid all the same.";
  const roles = access.map((role) => `**${role}**`);
  return `Open to the ${roles.length === 1 ? "role" : "roles"} ${roles.join(", ")}.`;
}
