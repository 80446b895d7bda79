// All sections of the settings, as whoever opens them. Each name is a claim.
import assert from "node:assert/strict"

import { invited, visitorAt } from "./lib/others.mjs"
import { openSettings, section } from "./lib/settings.mjs"

const MEMBERS = ["You", "Models and keys", "Agents and roles", "Skills & agents", "Prompts", "Permissions", "Tools", "Connected accounts", "Memory", "Runners", "Schedules", "Triggers", "Usage", "Changes"]
const ADMINISTRATORS = [...MEMBERS, "Channels", "Services", "Inbox", "People", "Policy", "Hooks", "Plugins", "Limits", "Runs", "Tracing", "About"]

const desk = { width: 1280, height: 860 }
const phone = { width: 375, height: 812 }

/** In sections that everybody has: what is for administrators alone. */
const theirs = {
  "Models and keys": (at) => at.getByRole("button", { name: "Add a subscription of the installation" }),
  Permissions: (at) => at.getByRole("group", { name: "Default permission mode" }),
  Changes: (at) => at.getByRole("checkbox", { name: "Include changes to the installation and users" }),
}

/** What fails while somebody looks around: errors of the console and of the page, and requests. Those that a page drops as it goes are none. */
const failures = (v) => {
  const found = []
  const { page } = v
  page.on("console", (message) => message.type() === "error" && found.push(`console: ${message.text()}`))
  page.on("pageerror", (error) => found.push(`page: ${error.message}`))
  page.on("response", (answer) => answer.status() >= 400 && found.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`))
  page.on("requestfailed", (request) => request.failure()?.errorText !== "net::ERR_ABORTED" && found.push(`${request.failure()?.errorText} ${request.url()}`))
  return found
}

const links = (v) => v.page.getByRole("navigation", { name: "Sections of the settings" }).getByRole("link")

const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))

/** The requests that are on their way, each with its end. Streams of events, which do not end, are left out. */
const requests = (v) => {
  const asked = new Map()
  v.page.on("request", (request) => {
    if (request.resourceType() === "eventsource" || /\/events\b/.test(request.url())) return
    asked.set(request, new Promise((done) => ends.set(request, done)))
  })
  const ends = new Map()
  const end = (request) => {
    asked.delete(request)
    ends.get(request)?.()
    ends.delete(request)
  }
  v.page.on("requestfinished", end)
  v.page.on("requestfailed", end)
  return asked
}

/** Waits until a section has all that it asks the server for, and looks at it. */
const look = async (v, asked, title) => {
  await section(v).getByRole("heading", { level: 2, name: title, exact: true }).waitFor()
  await v.page.waitForFunction(() => !document.querySelector("[aria-labelledby=section-title]").textContent.includes("Loading…"))
  await v.page.evaluate(drawn) // what it asks for when it is there has been asked for
  while (asked.size > 0) {
    await Promise.race([...asked.values()])
    await v.page.evaluate(drawn)
  }
  const shown = await section(v).innerText()
  assert.ok(shown.length > title.length + 20, `${title} shows nothing but ${JSON.stringify(shown)}`)
  assert.equal(await section(v).getByRole("alert").count(), 0, `${title} complains: ${shown}`)
  await v.fits(title)
}

/** Opens each section, on a desk and on a phone; `more` of what is for administrators alone is there. */
const walk = async (v, sections, more) => {
  const failed = failures(v)
  const asked = requests(v)
  await v.page.setViewportSize(desk)
  await v.page.goto(v.url)
  await v.ready()
  await openSettings(v, "You")
  assert.deepEqual(await links(v).allInnerTexts(), sections)
  for (const title of sections) {
    await links(v).filter({ hasText: title }).click()
    await look(v, asked, title)
    if (theirs[title]) assert.equal(await theirs[title](section(v)).count(), more, title)
  }
  await v.page.setViewportSize(phone)
  await v.page.getByRole("link", { name: "All settings" }).click()
  assert.deepEqual(await links(v).allInnerTexts(), sections)
  for (const title of sections) {
    await links(v).filter({ hasText: title }).click()
    await look(v, asked, title)
    await v.isAccessible(`${title}, on a phone`)
    await v.page.getByRole("link", { name: "All settings" }).click()
  }
  await v.page.setViewportSize(desk)
  assert.deepEqual(failed, [])
}

export const server = {
  "an administrator opens every section of the settings without an error, on a desk and on a phone": async (v) => {
    const admin = await visitorAt(v, v.url, { storageState: await v.page.context().storageState() })
    await walk(admin, ADMINISTRATORS, 1)
    assert.deepEqual(admin.complaints, [])
    await admin.page.context().close()
  },

  "a member opens each of theirs without an error, and none of what they may not change": async (v) => {
    const mia = await invited(v, "Mia")
    await walk(mia, [...MEMBERS, "About"], 0)
    for (const address of ["channels", "services", "inbox", "people", "policy", "hooks", "plugins", "limits", "runs"]) {
      await mia.page.goto(`${mia.url}/settings/${address}`)
      await mia.page.getByText("There is nothing at this address.").waitFor()
    }
    assert.deepEqual(mia.complaints, [])
    await mia.page.context().close()
  },
}
