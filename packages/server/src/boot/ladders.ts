import { LadderBook } from "../app/ladders/ladder-book.ts";
import { LadderExports } from "../app/ladders/ladder-exports.ts";
import { LadderImports } from "../app/ladders/ladder-imports.ts";
import { Ladders, type LaddersDeps } from "../app/ladders/ladders.ts";
import type { Clock } from "../clock.ts";
import type { LadderRecords } from "../host/streams.ts";
import type { TimeSlices } from "../time-slices.ts";
import type { LadderUseCases } from "../transport/http/ladders/ladder-routes.ts";

interface LadderDeps extends LaddersDeps {
  readonly records: LadderRecords;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

export function ladderUseCases(deps: LadderDeps): LadderUseCases {
  const { streams, records, clock, slices } = deps;
  const book = new LadderBook(streams, records);
  return {
    ladders: new Ladders(deps),
    book,
    imports: new LadderImports({ streams, clock, slices }),
    exports: new LadderExports(book, slices),
  };
}
