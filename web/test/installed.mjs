// Claims about the page as an installed app.
import assert from "node:assert/strict"

export const mock = {
  "the account menu offers to install the page where the browser can": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.page.evaluate(() => {
      const event = new Event("beforeinstallprompt", { cancelable: true })
      event.prompt = () => new Promise((done) => (window.installed = done))
      window.dispatchEvent(event)
    })
    await v.page.getByRole("button", { name: "Account and settings" }).click()
    await v.page.getByRole("menuitem", { name: "Install as an app" }).click()
    await v.page.waitForFunction(() => window.installed)
    await v.page.getByRole("button", { name: "Account and settings" }).click()
    await v.page.getByRole("menuitem", { name: "Sign out" }).waitFor()
    assert.equal(await v.page.getByRole("menuitem", { name: "Install as an app" }).count(), 0, "the browser takes an offer once")
    await v.page.keyboard.press("Escape")
  },
}

export const server = {
  "the page can be installed, and opens while the server is away": async (v) => {
    const context = await v.page.context().browser().newContext({ locale: "en-GB", reducedMotion: "reduce" })
    try {
      const page = await context.newPage()
      await page.goto(v.url)
      await page.getByRole("heading", { name: /sign in/i }).waitFor()
      const chromium = await context.newCDPSession(page)
      const { installabilityErrors } = await chromium.send("Page.getInstallabilityErrors")
      const hindered = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito") // as every test is
      assert.deepEqual(hindered, [])
      await page.evaluate(() => navigator.serviceWorker.ready)
      await page.reload() // now through the service worker, which keeps what it loads
      await page.getByRole("heading", { name: /sign in/i }).waitFor()
      await context.setOffline(true)
      await page.goto(v.url)
    await page.getByText(/server/i).first().waitFor()
      const kept = await page.evaluate(async () => {
        const addresses = []
        for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) addresses.push(new URL(url).pathname)
        return addresses
      })
      assert.deepEqual(kept.filter((path) => !/^\/($|theme\.js$|icon\.svg$|assets\/)/.test(path)), [], "nothing but the page itself is kept")
    } finally {
      await context.close()
    }
  },
}
