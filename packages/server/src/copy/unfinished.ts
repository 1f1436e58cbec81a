/**
 * Why no server uses a database with half a copy in it. Compared with what is there to see that it is one, so it has to
 * stay as it is.
 */
export const unfinishedCopy =
  "The database holds a copy that has not ended. Please run openseat copy again, which begins it anew.";
