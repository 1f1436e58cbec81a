import type { Access } from "../../auth/access.ts";

/** AU2: who may use a route, or send a message. */
export function accessSentence(access: Access): string {
  if (access === "public") return "Open to anyone. Any token you send must be valid.";
  const roles = access.map((role) => `**${role}**`);
  return `Open to the ${roles.length === 1 ? "role" : "roles"} ${roles.join(", ")}.`;
}
