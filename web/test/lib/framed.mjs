import { createServer } from "node:http"

/**
 * A page of another origin, which shows what is given; `policy` is its own Content-Security-Policy. With the host "localhost" it is another
 * site, too: Chromium, as these tests start it, gives frames of other sites no storage.
 */
export async function foreignPage(body, { policy, host = "127.0.0.1" } = {}) {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...(policy && { "Content-Security-Policy": policy }) })
    response.end(`<!doctype html><html lang="en"><head><title>A shop</title></head><body><main><h1>A shop</h1><a href="#">Flowers</a></main>${body()}</body></html>`)
  })
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens))
  const close = () => new Promise((closed) => (server.close(closed), server.closeAllConnections()))
  return { url: `http://${host}:${server.address().port}`, close }
}
