// The browser test. `npm run test:browser` drives the built page in Chromium against the mock; with XBOT_TEST_URL and
// XBOT_TEST_LINK (a fresh one-time sign-in link) against that server; XBOT_TEST_KILL and XBOT_TEST_START, if set, are shell
// commands: one kills it, the other starts it again and ends when it answers; XBOT_TEST_FRESH_URL and XBOT_TEST_FRESH_LINK, if set, are
// another server, whose settings name no model, XBOT_TEST_MODEL the address of a scripted provider for it, and XBOT_TEST_STRICT that of one
// which has the model llmtest alone and takes the key XBOT_TEST_KEY alone (models.mjs). Screenshots go to XBOT_TEST_ARTIFACTS. A first
// argument runs only the claims of the file with that name (claims.mjs), or those that contain it, and the sign-in they need; a second one
// leaves out those before the claim that contains it.
import { resolve } from "node:path"

import { differences } from "../mock/document.mjs"
import { seed } from "../mock/seed.mjs"
import { MockServer } from "../mock/server.mjs"
import { claimsAt } from "./claims.mjs"
import { findChromium, launchChromium } from "./lib/chromium.mjs"
import { run } from "./lib/shell.mjs"
import { Visitor } from "./lib/visitor.mjs"

const { XBOT_TEST_URL, XBOT_TEST_LINK, XBOT_TEST_KILL, XBOT_TEST_START, XBOT_TEST_ARTIFACTS, XBOT_TEST_REQUIRE_BROWSER } = process.env
const { XBOT_TEST_FRESH_URL, XBOT_TEST_FRESH_LINK, XBOT_TEST_MODEL, XBOT_TEST_STRICT, XBOT_TEST_KEY } = process.env
const artifacts = resolve(XBOT_TEST_ARTIFACTS ?? new URL(XBOT_TEST_URL ? "../artifacts/server" : "../artifacts", import.meta.url).pathname)

const DESK = { width: 1280, height: 860 }
/** How many claims of a run may need a second try. */
const MOST_AGAIN = 3

async function main() {
  const executable = findChromium()
  if (!executable) {
    console.error("THE BROWSER TEST DID NOT RUN: no Chromium was found. Install it (apt-get install chromium) or set CHROMIUM_PATH.")
    process.exitCode = XBOT_TEST_REQUIRE_BROWSER ? 1 : 0
    return
  }
  const server = await serverUnderTest()
  const browser = await launchChromium(executable)
  try {
    const context = await browser.newContext({ viewport: DESK, locale: "en-GB", reducedMotion: "reduce", serviceWorkers: "block" }) // which would hide requests from claims that change them
    const visitor = new Visitor(await context.newPage(), server.url, artifacts)
    await check(visitor, server, claimsOf(server))
  } finally {
    await browser.close()
    await server.mock?.close()
  }
}

function claimsOf({ mock, fresh }) {
  if (mock) return claimsAt("both", "mock")
  return [...claimsAt("both", "server"), ...claimsAt("serverLast"), ...(fresh ? claimsAt("fresh") : [])]
}

async function serverUnderTest() {
  if (XBOT_TEST_URL) {
    if (!XBOT_TEST_LINK) throw new Error("XBOT_TEST_URL needs XBOT_TEST_LINK, a fresh one-time sign-in link.")
    const killing = XBOT_TEST_KILL && { kill: () => run(XBOT_TEST_KILL), start: () => run(XBOT_TEST_START) }
    return { url: XBOT_TEST_URL.replace(/\/$/, ""), link: XBOT_TEST_LINK, ...killing, fresh: freshServer() }
  }
  const mock = new MockServer()
  await mock.listen()
  seed(mock)
  return { url: mock.url, link: mock.link, mock, kill: () => mock.kill(), start: () => mock.start() }
}

/** The server without a model; undefined: there is none. */
function freshServer() {
  if (!XBOT_TEST_FRESH_URL) {
    console.log("The claims about connecting a model are left out: XBOT_TEST_FRESH_URL names no server.")
    return undefined
  }
  if (!XBOT_TEST_FRESH_LINK || !XBOT_TEST_MODEL || !XBOT_TEST_STRICT || !XBOT_TEST_KEY)
    throw new Error("XBOT_TEST_FRESH_URL needs XBOT_TEST_FRESH_LINK, a one-time sign-in link, XBOT_TEST_MODEL, XBOT_TEST_STRICT and XBOT_TEST_KEY.")
  return { url: XBOT_TEST_FRESH_URL.replace(/\/$/, ""), link: XBOT_TEST_FRESH_LINK, model: XBOT_TEST_MODEL, strict: XBOT_TEST_STRICT, key: XBOT_TEST_KEY }
}

/**
 * Checks the claims in order. One that does not hold is tried once more, since a busy machine may be slower than the
 * test's patience; the first that fails twice ends the test with a picture of it. The last line has the counts.
 */
async function check(visitor, server, claims) {
  const began = performance.now()
  const again = []
  let passed = 0
  let failed = 0
  try {
    for (const { claim, holds, signsIn } of chosen(claims)) {
      const start = performance.now()
      try {
        await holds(visitor, server)
      } catch (error) {
        await visitor.picture(`failure-${again.length}`)
        if (signsIn || again.length === MOST_AGAIN) throw unheld(claim, error)
        again.push(claim)
        console.log(`again  ${claim}: ${error.message}`)
        await visitor.page.setViewportSize(DESK)
        await visitor.page.emulateMedia({ colorScheme: "light" })
        await visitor.page.goto(server.url)
        await visitor.ready()
        await holds(visitor, server).catch((error) => {
          throw unheld(claim, error)
        })
      }
      passed++
      console.log(`ok  ${claim} (${seconds(start).toFixed(1)} s)`)
    }
    if (differences.size > 0) throw new Error(`The mock differs from web/api/openapi.json:\n${[...differences].join("\n")}`)
    if (visitor.complaints.length > 0) throw new Error(`The browser complained:\n${visitor.complaints.join("\n")}`)
  } catch (error) {
    failed++
    throw error
  } finally {
    if (again.length > 0) console.log(`Held only when tried again:\n  ${again.join("\n  ")}`)
    console.log(`page, ${server.mock ? "mock" : "server"}: ${passed} claims passed, ${failed} failed, ${again.length} second attempts, ${Math.round(seconds(began))} s`)
  }
}

/** The claims that the arguments choose, with those that sign in. */
function chosen(claims) {
  const [, , wanted, from] = process.argv
  const begin = from === undefined ? 0 : claims.findIndex(({ claim }) => claim.includes(from))
  if (begin < 0) throw new Error(`No claim contains ${from}.`)
  return claims.filter(({ file, claim, signsIn }, n) => signsIn || (n >= begin && (!wanted || file === wanted || claim.includes(wanted))))
}

const seconds = (since) => (performance.now() - since) / 1000

function unheld(claim, cause) {
  return new Error(`It does not hold that ${claim} (see ${artifacts}/failure-*.png)`, { cause })
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
