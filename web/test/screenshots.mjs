// The pictures of the documents: `make screenshots`. It does with the built server and its demo model what the pages tell, and
// writes what a person sees into SCREENSHOTS. Each name is that of a picture.
import { resolve } from "node:path"

import { findChromium, launchChromium } from "./lib/chromium.mjs"
import { run } from "./lib/shell.mjs"
import { openSettings } from "./lib/settings.mjs"
import { Visitor } from "./lib/visitor.mjs"

const { XBOT_TEST_URL, XBOT_TEST_LINK, XBOT_TEST_KILL, XBOT_TEST_START, SCREENSHOTS } = process.env
const WINDOW = { width: 1000, height: 680 }
const NARROW = { width: 760, height: 680 }

const pictures = {
  "sign-in": async (v) => {
    await v.page.goto(XBOT_TEST_LINK)
    await v.page.waitForURL("**/password")
    await v.page.getByLabel("New password").fill("correct horse battery")
  },

  "tool-call": async (v) => {
    await v.page.getByRole("button", { name: "Set password" }).click()
    await v.ready()
    await v.ask("run echo hello", "exit code 0")
    await v.turn.getByRole("button", { name: /^Shell/ }).click()
    await v.turn.getByRole("region", { name: "Output", exact: true }).waitFor()
  },

  approval: async (v) => {
    await v.begin("create notes.txt with hello")
    await v.page.getByRole("button", { name: "Deny" }).first().waitFor()
    await toTheEnd(v)
  },

  operator: async (v) => {
    await v.page.getByRole("button", { name: "Allow", exact: false }).first().click()
    await v.sees("Answered", v.turn)
    const dialog = await openSettings(v, "Runs")
    await dialog.getByRole("listitem").first().waitFor()
  },

  killed: async (v) => {
    await v.page.keyboard.press("Escape")
    await v.page.setViewportSize(NARROW)
    await v.page.goto(v.url)
    await v.ready()
    await v.begin("count to 10 slowly")
    await v.turn.getByRole("button", { name: /^Shell/ }).click()
    await v.turn.getByRole("region", { name: "Output so far" }).getByText("3").waitFor()
    await run(XBOT_TEST_KILL)
    await v.sees(/Connection lost/)
  },

  answered: async (v) => {
    await run(XBOT_TEST_START)
    await v.sees("Answered", v.turn)
    await toTheEnd(v)
  },
}

/** Scrolls to what is newest. */
async function toTheEnd(v) {
  await v.page.mouse.move(WINDOW.width / 2, WINDOW.height / 2)
  await v.page.mouse.wheel(0, 10_000)
  await v.page.waitForFunction(() => {
    const end = [...document.querySelectorAll("article")].at(-1)?.getBoundingClientRect().bottom ?? 0
    return end < (document.querySelector("#message")?.getBoundingClientRect().top ?? 0)
  })
}

const executable = findChromium()
if (!executable) throw new Error("Pictures need Chromium: install it (apt-get install chromium) or set CHROMIUM_PATH.")
const browser = await launchChromium(executable)
try {
  const context = await browser.newContext({ viewport: WINDOW, locale: "en-GB", colorScheme: "light", reducedMotion: "reduce" })
  const visitor = new Visitor(await context.newPage(), XBOT_TEST_URL, resolve(SCREENSHOTS))
  for (const [name, show] of Object.entries(pictures)) {
    await show(visitor)
    await visitor.picture(name)
    console.log(`ok  ${name}`)
  }
} finally {
  await browser.close()
}
