/**
 * How long tests wait for something that must happen. A busy machine may stop a test or its servers for half a minute, so the
 * limit is far above the usual wait.
 */
export const waitMsMax = 120_000;

/** Runs a part of a case, and records whether it took longer than this. */
export type InTime = <T>(msMax: number, work: () => Promise<T>) => Promise<T>;

const attemptsMax = 5;
const tickMs = 50;
/** PostgreSQL ends the commit of a node that stalls for 0.7 s. */
const standstillMsMax = 500;

/**
 * For outcomes that depend on real clocks, such as a lease of a database. If a part took too long, or this process stalled, a
 * failure says nothing about the server, and the case runs again. A failure in time counts.
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
