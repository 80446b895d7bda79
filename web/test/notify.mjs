// Claims about notifications of turns that have ended.
import assert from "node:assert/strict"

import { visitorAt } from "./lib/others.mjs"
import { closeDialog, openSettings } from "./lib/settings.mjs"

/** Puts a browser's notifications, and whether the page is hidden, into the hands of the claim. */
const pretend = (v) =>
  v.page.addInitScript(() => {
    window.told = []
    window.Notification = class {
      static permission = sessionStorage.getItem("permission") ?? "default"
      static requestPermission() {
        sessionStorage.setItem("permission", (window.Notification.permission = "granted"))
        return Promise.resolve("granted")
      }
      constructor(title, { body, tag }) {
        window.told.push({ title, body, tag, click: () => this.onclick() })
      }
      close() {}
    }
    Object.defineProperty(document, "hidden", { configurable: true, get: () => window.away === true })
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (window.away ? "hidden" : "visible") })
  })

/** Notes what the browser's own notifications say, and puts whether the page is hidden into the hands of the claim. */
const listen = (v) =>
  v.page.addInitScript(() => {
    window.told = []
    window.Notification = class extends window.Notification {
      constructor(title, options) {
        super(title, options)
        window.told.push({ title, body: options.body, tag: options.tag, notice: this })
      }
    }
    Object.defineProperty(document, "hidden", { configurable: true, get: () => window.away === true })
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (window.away ? "hidden" : "visible") })
  })

/** A page that is hidden while a long turn goes on, and what it tells of its end. */
let hidden

/** The turn takes longer than half a minute, in which other claims hold. */
export const server = {
  "a long turn begins in a browser that may notify, and the page is hidden": async (v) => {
    const watch = await visitorAt(v, v.url, { storageState: await v.page.context().storageState(), permissions: ["notifications"] })
    await listen(watch)
    await watch.page.goto(v.url)
    await watch.ready()
    await watch.page.getByRole("button", { name: "Account and settings" }).click()
    await watch.page.getByRole("menuitem", { name: "Notify me of long turns" }).click()
    await watch.page.getByRole("button", { name: "Account and settings" }).click()
    await watch.page.getByRole("menuitem", { name: "No notifications of long turns" }).waitFor()
    await watch.page.keyboard.press("Escape")
    await watch.begin("stream 32 1s")
    await watch.page.waitForURL("**/c/**")
    const { key } = watch
    await watch.sees("w2", watch.turn)
    await watch.page.evaluate(() => (window.away = true))
    await watch.page.getByRole("link", { name: "New conversation" }).click()
    await watch.ask("say soon done", "soon done")
    const told = watch.page.waitForFunction(() => window.told.length > 0, undefined, { timeout: 120_000, polling: 200 })
    hidden = { watch, key, told: told.then(() => undefined, (error) => error) }
  },
}

export const serverLast = {
  "the end of a long turn is told once by the browser, that of a short one is not, and a click leads to it": async () => {
    const { watch, key, told } = hidden
    assert.equal(await told, undefined)
    const { turns } = await watch.api(`/api/sessions/${encodeURIComponent(key)}/turns`)
    const said = await watch.page.evaluate(() => window.told.map(({ title, body, tag }) => ({ title, body, tag })))
    assert.equal(said.length, 1, JSON.stringify(said))
    assert.equal(said[0].title, "stream 32 1s")
    assert.match(said[0].body, /^The answer is there, after [3-9]\d/)
    assert.equal(said[0].tag, turns.at(-1).id)
    assert.notEqual(watch.key, key)
    await watch.page.evaluate(() => {
      window.away = false
      window.told[0].notice.onclick()
    })
    await watch.page.waitForURL((url) => decodeURIComponent(url.pathname) === `/c/${key}`)
    await watch.sees("w32", watch.turn)
    assert.deepEqual(watch.complaints, [])
    await watch.page.context().close()
  },
}

export const mock = {
  "a long turn that ends while the page is hidden is told, once and only to who asked for it": async (v, { mock }) => {
    await pretend(v)
    await v.page.evaluate(() => localStorage.removeItem("xbot.notify"))
    await v.page.goto(v.url)
    await v.ready()
    await v.page.getByRole("button", { name: "Account and settings" }).click()
    await v.page.getByRole("menuitem", { name: "Notify me of long turns" }).click()
    await v.page.getByRole("button", { name: "Account and settings" }).click()
    await v.page.getByRole("menuitem", { name: "No notifications of long turns" }).waitFor()
    await v.page.keyboard.press("Escape")
    const list = v.page.getByRole("navigation")
    /** A turn that began some seconds ago and ends while the page is hidden. */
    const runs = async (name, seconds) => {
      await v.page.goto(v.url)
      await v.ready()
      const { command, release } = v.held()
      await v.begin(`call Shell ${JSON.stringify({ command })}\nsay ${name}`)
      const turn = await v.thisTurn()
      await v.page.waitForURL("**/c/**")
      const key = decodeURIComponent(new URL(v.page.url()).pathname.slice("/c/".length))
      await list.getByRole("link", { name: /running/ }).or(list.getByText("running")).first().waitFor()
      mock.sessions.get(key).turns[0].started_at = new Date(Date.now() - seconds * 1000).toISOString()
      await v.page.evaluate(() => (window.away = true))
      await release()
      await turn.getByText(name, { exact: true }).waitFor()
      return mock.sessions.get(key).turns[0].id
    }
    await runs("soon done", 5)
    await list.locator("[aria-current=page]").and(list.locator("li", { hasText: "running" }).getByRole("link")).waitFor({ state: "detached" })
    assert.deepEqual(await v.page.evaluate(() => window.told), [])
    const id = await runs("done at last", 95)
    await v.page.waitForFunction(() => window.told.length > 0)
    const told = await v.page.evaluate(() => window.told.map(({ title, body, tag }) => ({ title, body, tag })))
    assert.equal(told.length, 1)
    assert.match(told[0].title, /^call Shell/)
    assert.match(told[0].body, /The answer is there, after 1/)
    assert.equal(told[0].tag, id)
    await v.page.evaluate(() => (window.away = false))
    await v.page.goto(v.url)
    await v.page.getByRole("button", { name: "Account and settings" }).click()
    await v.page.getByRole("menuitem", { name: "No notifications of long turns" }).click()
  },

  "a person chooses on which platform they are told of long turns, and how long a turn takes that is told": async (v) => {
    const dialog = await openSettings(v, "You")
    const form = dialog.getByRole("form", { name: "Notices of long turns" })
    assert.equal(await form.getByLabel("Notify me").inputValue(), "", "it is off until somebody wants it")
    assert.equal(await form.getByLabel("From how many seconds on").count(), 0)
    await form.getByLabel("Notify me").selectOption({ label: "NapCat, 10001" })
    await form.getByLabel("From how many seconds on").fill("5")
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByText("after_seconds must be from 10 to 86400").waitFor()
    await form.getByLabel("From how many seconds on").fill("90")
    await form.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("Saved", { exact: true }).waitFor()
    await v.inspect("133-turn-notices")
    const { to, after_seconds } = await v.api("/api/me/turn-notices")
    assert.deepEqual([to, after_seconds], [{ channel: "napcat", account: "second", peer: "10001" }, 90])
    await form.getByLabel("Notify me").selectOption({ label: "Nowhere" })
    const stopped = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/turn-notices"))
    await form.getByRole("button", { name: "Save" }).click()
    await stopped
    assert.equal((await v.api("/api/me/turn-notices")).to, undefined)
    await closeDialog(v)
  },
}
