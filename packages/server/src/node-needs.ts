/** What the server uses of Node, by name; whether this Node has it. */
const needs: Readonly<Record<string, () => unknown>> = {
  "the module node:sqlite": () => process.getBuiltinModule?.("node:sqlite"),
  "process.threadCpuUsage": () => process.threadCpuUsage,
  "Promise.withResolvers": () => Promise.withResolvers,
};

/** A sentence if this Node cannot run the server. Otherwise people would see an error deep inside it. */
export function nodeProblem(): string | undefined {
  const [missing] = Object.keys(needs).filter((name) => !needs[name]());
  if (missing === undefined) return undefined;
  return `Openseat needs Node 24 or newer: this is Node ${process.versions.node}, which lacks ${missing}.`;
}
