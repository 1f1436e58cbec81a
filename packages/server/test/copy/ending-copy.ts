/**
 * A copy in its own process, killed at one of its steps: `node ending-copy.ts FROM TO STEP`. Each call of the target is a step.
 * If STEP exceeds their number, the copy completes and prints the number of steps.
 */
import { addressFrom, openEnds } from "../../src/copy/addresses.ts";
import { copyLog } from "../../src/copy/copy-log.ts";
import { Progress } from "../../src/copy/progress.ts";

const [from, to, step] = process.argv.slice(2);
const { source, target } = await openEnds(addressFrom(from)!, addressFrom(to)!, undefined);
let steps = 0;
const mortal = new Proxy(target, {
  get(of, name) {
    if (++steps === Number(step)) process.kill(process.pid, "SIGKILL");
    const asked = Reflect.get(of, name) as unknown;
    return typeof asked === "function" ? asked.bind(of) : asked;
  },
});
const progress = new Progress(await source.totals(), { write() {} }, () => 0);
await copyLog(source, mortal, { progress, signal: undefined });
await source.close();
await target.close();
process.stdout.write(`${steps}\n`);
