/** How exact the time is for which a connection may be idle: a timer for each would be set twice for every request. */
export const tickMs = 1_000;
/** A longer request is left to Node's parser, whose own limits come later. */
export const requestBytesMax = 8_192;
