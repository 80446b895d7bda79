// Claims about notifications of turns that have ended.
import assert from "node:assert/strict"

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
}
