// The service worker of the installed page. It keeps the page itself, so that it opens while the server is away and says so; it keeps
// nothing that people wrote: requests of the API, of files and of other pages go past it. The build puts its own mark in place of BUILD:
// a page of another build begins with an empty cache.
const CACHE = "page-BUILD"

/** Addresses that the page draws itself; everything else belongs to the server. */
const PLACE = /^\/($|c\/|login$|settings($|\/))/

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["/", "/theme.js", "/icon.svg"])))
  self.skipWaiting()
})

self.addEventListener("activate", (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  }
  event.waitUntil(drop())
})

self.addEventListener("fetch", (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== "GET" || origin !== self.location.origin) return
  if (pathname.startsWith("/assets/")) event.respondWith(keptFirst(request))
  else if (request.mode === "navigate" && PLACE.test(pathname)) event.respondWith(serverFirst(request, "/"))
  else if (pathname === "/theme.js" || pathname === "/icon.svg") event.respondWith(serverFirst(request, pathname))
})

/** Names of assets carry a hash of their content: what is kept is right. */
async function keptFirst(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}

async function serverFirst(request, name) {
  const cache = await caches.open(CACHE)
  try {
    const answer = await fetch(request)
    if (answer.ok && !answer.redirected) await cache.put(name, answer.clone())
    return answer
  } catch (error) {
    const kept = await cache.match(name)
    if (kept) return kept
    throw error
  }
}
