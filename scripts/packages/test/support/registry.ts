import { NpmProject } from "./npm-project.ts";

const away = /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENOTCACHED|ENETUNREACH/;

/**
 * Why these packages of others cannot be installed here; undefined if they can. Only a registry that is away is a reason: with
 * any other error the tests run, and fail.
 */
export async function missingFromRegistry(...packages: readonly string[]): Promise<string | undefined> {
  const project = new NpmProject();
  try {
    await project.install([], packages);
    return undefined;
  } catch (error) {
    if (!away.test((error as Error).message)) throw error;
    return "the npm registry cannot be reached, and its packages are not in npm's cache";
  } finally {
    project.remove();
  }
}
