/**
 * What Node has compiled is kept for the next of the many short processes that tests are: a tenth of all their time.
 * Imported by each test file's process; those that it starts find it in their environment.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../node_modules/.cache/openseat-compiled");
enableCompileCache(process.env.NODE_COMPILE_CACHE);
