// `npm run mock [port]`: serves the built page with the mock behind it, on port 8099 unless told otherwise.
import { ConsumerServer, KEY } from "./consumers.mjs"
import { seed } from "./seed.mjs"
import { MockServer } from "./server.mjs"

const server = new MockServer()
await server.listen(Number(process.argv[2] ?? 8099))
seed(server)
console.log(`Sign in: ${server.link}`)

const consumers = new ConsumerServer()
await consumers.listen(Number(process.argv[2] ?? 8099) + 1)
console.log(`A service: ${consumers.page}#key=${KEY}`)
