/** The usual test report, followed by one line per reason for skipped tests. */
import { Readable } from "node:stream";
import type { TestEvent } from "node:test/reporters";
import { spec } from "node:test/reporters";

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped = new Map<string, number>();
  async function* counted(): AsyncGenerator<TestEvent> {
    for await (const event of events) {
      if (event.type === "test:pass" && typeof event.data.skip === "string")
        skipped.set(event.data.skip, (skipped.get(event.data.skip) ?? 0) + 1);
      yield event;
    }
  }
  yield* Readable.from(counted()).compose(new spec());
  for (const [reason, count] of skipped)
    yield `skipped ${count} ${count === 1 ? "test" : "tests"}: ${reason}\n`;
}
