/**
 * How long tests wait for something that is bound to come. A busy machine may stop a test or its servers for half a minute, so
 * the limit is far above what a wait usually takes.
 */
export const waitMsMax = 120_000;
