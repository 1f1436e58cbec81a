const { Openseat, OpenseatError } = require("@openseat/client");

async function main() {
  const [url, queue] = process.argv.slice(2);
  const [ann, bob] = [new Openseat({ url }), new Openseat({ url })];

  const game = await ann.games.create({ title: "Cards", maxPlayers: 1 });
  const { participant } = await ann.game(game.id).join();
  const refused = await bob
    .game(game.id)
    .join()
    .catch((error) => error instanceof OpenseatError && error.code);

  const place = await ann.queue(queue).enter();
  await place.admitted();
  const session = await place.claim();
  await session.complete();

  const arena = await ann.arenas.create({ title: "Lunch break", game: "tic-tac-toe" });
  for (const player of [ann, bob]) await player.arena(arena.id).join();
  let label;
  for (const player of [ann, bob]) {
    const { state } = await player.arena(arena.id).get();
    const [move] = state.you.moves;
    if (label === undefined && move !== undefined)
      ({ label } = await player.arena(arena.id).move(move, state.match.id));
  }

  console.log(
    JSON.stringify({ seat: participant.status, refused, visit: place.reason, moved: label !== undefined }),
  );
  for (const client of [ann, bob]) client.close();
}

main();
