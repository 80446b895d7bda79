// The browser test. `npm run test:browser` drives the built page in Chromium against the mock; with XBOT_TEST_URL and
// XBOT_TEST_LINK (a fresh one-time sign-in link) against that server; XBOT_TEST_KILL and XBOT_TEST_START, if set, are shell
// commands: one kills it, the other starts it again and ends when it answers; XBOT_TEST_FRESH_URL and XBOT_TEST_FRESH_LINK, if set, are
// another server, whose settings name no model, XBOT_TEST_MODEL the address of a scripted provider for it, and XBOT_TEST_STRICT that of one
// which has the model llmtest alone and takes the key XBOT_TEST_KEY alone (models.mjs). Screenshots go to XBOT_TEST_ARTIFACTS. A first argument runs only the
// claims that contain it (or, with "context", "routing", "inquiries", "plans", "channels", "cron", "triggers", "registry", "memory", "hooks", "team", "todos", "actions", "sources", "installed", "people", "models", "keys", "toolservers", "connections", "firstrun", "dictation", "notify", "sections", "shares", "inbox", "services", "pdf" or "roles", those of that file) and the sign-in they need; a second one leaves
// out those before the claim that contains it.
import { resolve } from "node:path"

import { seed } from "../mock/seed.mjs"
import { MockServer } from "../mock/server.mjs"
import { actionClaims } from "./actions.mjs"
import { channelClaims, channelsOfMock, channelsOfServer } from "./channels.mjs"
import { contextClaims, contextOfMock } from "./context.mjs"
import { dictationOfMock, dictationOfServer } from "./dictation.mjs"
import { filesOfServer } from "./files.mjs"
import { firstRunOfMock } from "./firstrun.mjs"
import { flow } from "./flow.mjs"
import { cronClaims, cronOfMock } from "./cron.mjs"
import { triggerClaims } from "./triggers.mjs"
import { findChromium, launchChromium } from "./lib/chromium.mjs"
import { run } from "./lib/shell.mjs"
import { Visitor } from "./lib/visitor.mjs"
import { hooksOfMock } from "./hooks.mjs"
import { installedClaims } from "./installed.mjs"
import { memoryClaims, memoryOfMock } from "./memory.mjs"
import { longTurnBegins, longTurnEnds, notifyOfMock } from "./notify.mjs"
import { cardsOfMock, inquiries } from "./inquiries.mjs"
import { planClaims } from "./plans.mjs"
import { keysOfMock, keysOfServer } from "./keys.mjs"
import { modelsOfServer } from "./models.mjs"
import { deletionOfServer, peopleOfMock, peopleOfServer } from "./people.mjs"
import { registryClaims, registryOfServer } from "./registry.mjs"
import { rolesOfMock, rolesOfServer } from "./roles.mjs"
import { preferencesOfMock } from "./preferences.mjs"
import { pdfClaims } from "./pdf.mjs"
import { routing, routingOfMock } from "./routing.mjs"
import { sandbox } from "./sandbox.mjs"
import { settingsOfServer } from "./settings.mjs"
import { serviceOfMock, serviceOfServer } from "./service.mjs"
import { shareClaims } from "./shares.mjs"
import { sourceClaims } from "./sources.mjs"
import { states } from "./states.mjs"
import { teamOfMock, teamOfServer } from "./team.mjs"
import { titlesOfMock } from "./titles.mjs"
import { panelsOfServer } from "./panels.mjs"
import { pluginClaims } from "./plugins.mjs"
import { inboxOfMock } from "./inbox.mjs"
import { publishedClaims, publishedOfMock } from "./published.mjs"
import { connectionsOfMock, connectionsOfServer } from "./connections.mjs"
import { toolServersOfMock, toolServersOfServer } from "./toolservers.mjs"
import { todoClaims } from "./todos.mjs"

const { XBOT_TEST_URL, XBOT_TEST_LINK, XBOT_TEST_KILL, XBOT_TEST_START, XBOT_TEST_ARTIFACTS, XBOT_TEST_REQUIRE_BROWSER } = process.env
const { XBOT_TEST_FRESH_URL, XBOT_TEST_FRESH_LINK, XBOT_TEST_MODEL, XBOT_TEST_STRICT, XBOT_TEST_KEY } = process.env
const artifacts = resolve(XBOT_TEST_ARTIFACTS ?? new URL(XBOT_TEST_URL ? "../artifacts/server" : "../artifacts", import.meta.url).pathname)

const DESK = { width: 1280, height: 860 }
/** States that the mock has, and what only a server does. */
const ofMock = { ...cardsOfMock, ...contextOfMock, ...routingOfMock, ...channelsOfMock, ...cronOfMock, ...memoryOfMock, ...hooksOfMock, ...teamOfMock, ...peopleOfMock, ...keysOfMock, ...toolServersOfMock, ...connectionsOfMock, ...pluginClaims, ...publishedClaims, ...publishedOfMock, ...inboxOfMock, ...dictationOfMock, ...notifyOfMock, ...preferencesOfMock, ...rolesOfMock, ...titlesOfMock, ...serviceOfMock, ...firstRunOfMock, ...states }
const ofServer = { ...serviceOfServer, ...panelsOfServer, ...channelsOfServer, ...longTurnBegins, ...memoryClaims, ...teamOfServer, ...filesOfServer, ...peopleOfServer, ...rolesOfServer, ...registryOfServer, ...keysOfServer, ...toolServersOfServer, ...connectionsOfServer, ...pluginClaims, ...publishedClaims, ...dictationOfServer, ...settingsOfServer, ...longTurnEnds, ...deletionOfServer }
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
    await check(visitor, server, { ...flow, ...sandbox, ...inquiries, ...planClaims, ...contextClaims, ...routing, ...channelClaims, ...cronClaims, ...triggerClaims, ...registryClaims, ...todoClaims, ...actionClaims, ...sourceClaims, ...installedClaims, ...shareClaims, ...pdfClaims, ...(server.mock ? ofMock : ofServer), ...(server.fresh ? modelsOfServer : {}) })
  } finally {
    await browser.close()
    await server.mock?.close()
  }
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
 * test's patience, and is told of at the end; the first that fails twice ends the test with a picture of it.
 */
async function check(visitor, server, claims) {
  const [, , wanted, from] = process.argv
  const groups = { context: { ...contextClaims, ...contextOfMock }, routing: { ...routing, ...routingOfMock }, inquiries: { ...inquiries, ...cardsOfMock }, plans: planClaims, channels: { ...channelClaims, ...channelsOfMock, ...channelsOfServer }, cron: { ...cronClaims, ...cronOfMock }, triggers: triggerClaims, registry: { ...registryClaims, ...registryOfServer }, memory: { ...memoryClaims, ...memoryOfMock }, hooks: hooksOfMock, team: { ...teamOfMock, ...teamOfServer }, todos: todoClaims, actions: actionClaims, sources: sourceClaims, titles: titlesOfMock, installed: installedClaims, people: { ...peopleOfMock, ...peopleOfServer, ...deletionOfServer }, models: modelsOfServer, keys: { ...keysOfMock, ...keysOfServer }, toolservers: { ...toolServersOfMock, ...toolServersOfServer }, connections: { ...connectionsOfMock, ...connectionsOfServer }, plugins: pluginClaims, published: { ...publishedClaims, ...publishedOfMock }, inbox: inboxOfMock, panels: panelsOfServer, firstrun: firstRunOfMock, dictation: { ...dictationOfMock, ...dictationOfServer }, notify: { ...longTurnBegins, ...notifyOfMock, ...longTurnEnds }, preferences: preferencesOfMock, sections: settingsOfServer, shares: shareClaims, services: { ...serviceOfMock, ...serviceOfServer }, pdf: pdfClaims, roles: { ...rolesOfMock, ...rolesOfServer } }
  const grouped = groups[wanted] ?? {}
  let reached = from === undefined
  const again = []
  const basics = Object.keys(flow).slice(0, 3)
  for (const [claim, holds] of Object.entries(claims)) {
    if (wanted && !claim.includes(wanted) && !(claim in grouped) && !basics.includes(claim)) continue
    reached ||= claim.includes(from)
    if (!reached && !basics.includes(claim)) continue
    const start = performance.now()
    try {
      await holds(visitor, server)
    } catch (error) {
      await visitor.picture(`failure-${again.length}`)
      if (basics.includes(claim) || again.length === MOST_AGAIN) throw unheld(claim, error)
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
    console.log(`ok  ${claim} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  }
  if (again.length > 0) console.log(`Held only when tried again:\n  ${again.join("\n  ")}`)
  if (visitor.complaints.length > 0) throw new Error(`The browser complained:\n${visitor.complaints.join("\n")}`)
}

function unheld(claim, cause) {
  return new Error(`It does not hold that ${claim} (see ${artifacts}/failure-*.png)`, { cause })
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
