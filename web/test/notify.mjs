// Claims about notifications of turns that have ended.
import assert from "node:assert/strict"

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

export const notifyOfMock = {
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
    assert.equal(await form.getByLabel("Tell me").inputValue(), "", "it is off until somebody wants it")
    assert.equal(await form.getByLabel("From how many seconds on").count(), 0)
    await form.getByLabel("Tell me").selectOption({ label: "NapCat, 10001" })
    await form.getByLabel("From how many seconds on").fill("5")
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByText("after_seconds must be from 10 to 86400").waitFor()
    await form.getByLabel("From how many seconds on").fill("90")
    await form.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("Saved", { exact: true }).waitFor()
    await v.inspect("133-turn-notices")
    const { to, after_seconds } = await v.api("/api/me/turn-notices")
    assert.deepEqual([to, after_seconds], [{ channel: "napcat", account: "second", peer: "10001" }, 90])
    await form.getByLabel("Tell me").selectOption({ label: "Nowhere" })
    const stopped = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/turn-notices"))
    await form.getByRole("button", { name: "Save" }).click()
    await stopped
    assert.equal((await v.api("/api/me/turn-notices")).to, undefined)
    await closeDialog(v)
  },
}
