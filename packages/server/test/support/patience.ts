/**
 * How long tests wait for something that is bound to come. A busy machine may stop a test or its servers for half a minute, so
 * the limit is far above what a wait usually takes.
 */
export const waitMsMax = 120_000;

/** Runs a part of a case, and notes whether it took longer than this. */
export type InTime = <T>(msMax: number, work: () => Promise<T>) => Promise<T>;

const attemptsMax = 5;
const tickMs = 50;
/** PostgreSQL takes a turn away from a node that stands still for 0.7 s. */
const standstillMsMax = 500;

/**
 * For what real clocks decide, such as a lease of a database: a case says nothing about the server if it fails after one of its
 * parts took too long, or after this process stood still. It is run again. A case that fails in time has failed.
 */
export async function againIfLate(run: (inTime: InTime) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let isLate = false;
    let tickedAt = Date.now();
    const tick = () => {
      isLate ||= Date.now() - tickedAt > standstillMsMax;
      tickedAt = Date.now();
    };
    const ticking = setInterval(tick, tickMs);
    try {
      return await run(async (msMax, work) => {
        const began = Date.now();
        try {
          return await work();
        } finally {
          isLate ||= Date.now() - began > msMax;
        }
      });
    } catch (error) {
      tick();
      if (!isLate || attempt === attemptsMax) throw error;
    } finally {
      clearInterval(ticking);
    }
  }
}
