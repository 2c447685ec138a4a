// Plays a whole match with random legal moves, by the types of kleos.ts and nothing else.
//
//     node play.js http://127.0.0.1:8000 iliad
//
// Prints each move as a line of JSON, and at the end the outcome.

import createClient from "openapi-fetch";
import type { components, paths } from "./kleos.js";

type Schemas = components["schemas"];
/** What is asked for: some answers can be had as text, too. */
type Media = "application/json" | "application/problem+json";

const [url, game] = process.argv.slice(2);
if (url === undefined || game === undefined) throw new Error("usage: play.js URL GAME");

function client(token?: string) {
  return createClient<paths, Media>({
    baseUrl: url!,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  });
}

/** What a request was answered with; a problem is thrown, with its code and what it says. */
function good<T>(answer: { data?: T; error?: Schemas["ProblemBody"] }): T {
  if (answer.error !== undefined) throw new Error(`${answer.error.code}: ${answer.error.detail}`);
  return answer.data!;
}

async function register(name: string) {
  return client(good(await client().POST("/v1/players", { body: { name } })).token);
}

/** A random entry of the list; where it has a range, a random number of it. */
function anyOf(listed: Schemas["ListedMove"][]): Schemas["ListedMove"]["move"] {
  const chosen = listed[Math.floor(Math.random() * listed.length)];
  if (chosen === undefined) throw new Error("no legal move for the seat that is to act");
  const numbers = Object.entries(chosen.range ?? {}).map(([field, [low = 0, high = 0]]) => [
    field,
    low + Math.floor(Math.random() * (high - low + 1)),
  ]);
  return { ...chosen.move, ...Object.fromEntries(numbers) };
}

const players = [await register("Ariadne"), await register("Bacchus")] as const;
const made = good(await players[0].POST("/v1/matches", { body: { game, seats: 2 } }));
const path = { match_id: made.id };
good(await players[1].POST("/v1/matches/{match_id}/seats", { params: { path }, body: { seat: 1 } }));

for (;;) {
  const match = good(await players[0].GET("/v1/matches/{match_id}", { params: { path } }));
  const seat = match.to_act[0];
  if (match.status !== "playing" || seat === undefined) {
    console.log(JSON.stringify(match.outcome));
    break;
  }
  const player = players[seat as 0 | 1];
  const read = await player.GET("/v1/matches/{match_id}/view", { params: { path, query: { seat: `${seat}` } } });
  const view = good(read);
  const header = { "If-Match": read.response.headers.get("etag")!, "Idempotency-Key": crypto.randomUUID() };
  const played = good(
    await player.POST("/v1/matches/{match_id}/moves", {
      params: { path, header },
      body: { seat, move: anyOf(view.moves) } as Schemas["IliadPlay"] | Schemas["CycladesPlay"],
    }),
  );
  console.log(JSON.stringify({ version: played.event.version, action: played.event.action }));
}
