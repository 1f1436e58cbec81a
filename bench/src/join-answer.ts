/** Has the form and size of a join's answer. */
export function joinAnswer(id: string, title: string, position: number): object {
  return {
    success: true,
    message: "Successfully joined the game",
    data: {
      game: {
        id,
        title,
        status: "OPEN",
        currentPlayers: position,
        maxPlayers: 1_000_000,
        availableSlots: 1_000_000 - position,
        waitlist: false,
        waiting: 0,
        endTime: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        yourPosition: position,
      },
      participant: {
        id: `${id}-${position}`,
        userId: `p${position}`,
        joinedAt: "2026-01-01T00:00:00.000Z",
        status: "ACTIVE",
      },
    },
  };
}
