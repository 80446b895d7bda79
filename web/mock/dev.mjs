// `npm run dev`: the page with instant reload, and the mock behind it (or the server named by XBOT_DEV_API).
import { createServer } from "vite"

import { seed } from "./seed.mjs"
import { MockServer } from "./server.mjs"

let link
if (!process.env.XBOT_DEV_API) {
  const mock = new MockServer()
  process.env.XBOT_DEV_API = await mock.listen()
  seed(mock)
  link = new URL(mock.link)
}
const vite = await createServer()
await vite.listen()
const [url] = vite.resolvedUrls.local
console.log(link ? `Sign in: ${url}login${link.hash}` : url)
