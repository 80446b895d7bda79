// What an operator reads in the Temporal UI of runs of all types. e2e starts it with XBOT_TEST_URL, XBOT_TEST_LINK (a fresh
// one-time sign-in link), XBOT_TEST_NAMESPACE (the namespace of the runs) and XBOT_TEST_RUNS (a file that lists them and what must be
// read of each). Pictures go to the folder temporal in XBOT_TEST_ARTIFACTS.
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"

import { findChromium, launchChromium } from "./lib/chromium.mjs"
import { openSettings } from "./lib/settings.mjs"
import { Visitor } from "./lib/visitor.mjs"

const { XBOT_TEST_URL: url, XBOT_TEST_LINK: link, XBOT_TEST_NAMESPACE: namespace, XBOT_TEST_RUNS: file, XBOT_TEST_ARTIFACTS } = process.env
const artifacts = join(resolve(XBOT_TEST_ARTIFACTS ?? new URL("../artifacts", import.meta.url).pathname), "temporal")

async function main() {
  const runs = JSON.parse(await readFile(file, "utf8"))
  const browser = await launchChromium(findChromium())
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1100 }, locale: "en-GB", reducedMotion: "reduce" })
    const v = new Visitor(await context.newPage(), url, artifacts)
    await signIn(v)
    const { temporal_ui } = await v.api("/api/me")
    const base = `${temporal_ui}namespaces/${namespace}/workflows`
    await v.page.goto(`${url}${base}`)
    const faults = []
    for (const run of runs) {
      try {
        await read(v, base, run)
        console.log(`ok  ${run.name}`)
      } catch (error) {
        await v.picture(`failure-${run.name}`)
        faults.push(`${run.name}: ${error.message}`)
      }
    }
    await followLinks(v, runs).catch(async (error) => {
      await v.picture("failure-links")
      faults.push(`links: ${error.message}`)
    })
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
}

async function signIn(v) {
  await v.page.goto(link)
  await v.page.waitForURL("**/password")
  await v.page.getByLabel("New password").fill("correct horse battery")
  await v.page.getByRole("button", { name: "Set password" }).click()
  await v.ready()
}

/** Opens a run and reads what is said of it. */
async function read(v, base, { name, workflow, run, summary, details = [], history = [], session }) {
  const path = `${base}/${encodeURIComponent(workflow)}/${run}`
  if (history.length > 0) {
    await visit(v.page, `${path}/history`)
    for (const text of history) await v.page.getByText(text).first().waitFor()
    await v.shot(`${name}-history`)
  }
  await visit(v.page, `${path}/user-metadata`)
  await v.page.getByText("Current Details").first().waitFor()
  try {
    for (const text of [summary, ...details]) await reads(v.page, text)
    if (session) await linksTo(v.page, session)
  } finally {
    await v.shot(`${name}-details`)
  }
}

/** Follows a link inside of the UI: loading it anew for each run would take most of the time. */
async function visit(page, path) {
  await page.evaluate((href) => {
    const link = document.createElement("a")
    link.href = href
    document.body.append(link)
    link.click()
    link.remove()
  }, path)
  await page.waitForURL((at) => at.pathname === path)
}

/** The UI renders Markdown in frames, with curly quotes. */
async function reads(page, text) {
  const said = async () => {
    const all = await Promise.all(page.frames().map((frame) => frame.locator("body").innerText().catch(() => "")))
    return all.join("\n").replaceAll(/[“”]/g, '"')
  }
  await until(async () => (await said()).includes(text), `nobody reads ${text}`)
}

async function linksTo(page, session) {
  const hrefs = async () => (await Promise.all(page.frames().map((frame) => frame.locator("a").evaluateAll((all) => all.map((a) => new URL(a.href).pathname)).catch(() => [])))).flat()
  await until(async () => (await hrefs()).includes(session), `no link leads to ${session}`)
}

/** Waits at most 10 s. */
async function until(holds, otherwise) {
  for (let n = 0; n < 100; n++) {
    if (await holds()) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(otherwise)
}

/** Opens the prepared lists as an operator does. */
async function followLinks(v, runs) {
  await v.page.goto(url)
  await v.ready()
  const dialog = await openSettings(v, "Runs")
  await dialog.getByRole("link", { name: "Failed" }).waitFor()
  await v.shot("settings-runs")
  const hrefOf = (list) => dialog.getByRole("link", { name: list }).getAttribute("href")
  const lists = await Promise.all(["Failed", "Waiting for something", "admin"].map(hrefOf))
  for (const [n, name] of ["failed", "waiting", "turn"].entries()) {
    const { workflow } = runs.find((run) => run.name === name)
    await v.page.goto(new URL(lists[n], url).href)
    await v.page.getByText(workflow).first().waitFor()
    await v.shot(`list-${name}`)
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
