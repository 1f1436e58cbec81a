export const conversationLimits = { linesMax: 100, sourcesMax: 10_000 } as const;
