// What must be seen of panels of plugins, also of one that wants more than it may. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"
import { tar } from "./lib/tar.mjs"

const sdk = await (await import("node:fs/promises")).readFile(new URL("../../sdk/web/xbot-widget.js", import.meta.url), "utf8")

const manifest = {
  id: "pest", name: "Pest", version: "1.0.0", runtime: "script", command: ["./run"], permissions: ["page"],
  contributes: { widgets: [{ name: "grab", title: { en: "Grabber", zh: "抓取" }, entry: "web/index.html" }] },
}

/** Tries everything, and writes down how it went. */
const hostile = `
const note = (name, text) => { const p = document.createElement("p"); p.id = name; p.textContent = name + ": " + text; document.body.append(p) }
const tried = async (name, f) => { try { note(name, "reached " + String(await f())) } catch (e) { note(name, "refused " + e.name) } }
const inTime = (f) => Promise.race([f(), new Promise((_, no) => setTimeout(() => no(new Error("late")), 1500))])
addEventListener("securitypolicyviolation", (e) => { document.body.dataset.violations = (document.body.dataset.violations || "") + " " + e.effectiveDirective })
const all = async () => {
  const look = await xbot.ready()
  note("look", look.language + " " + look.theme + " " + look.title + " " + Object.keys(look).length)
  note("asked", await xbot.ask({ a: 1 }).then(JSON.stringify, (e) => "refused " + e.message))
  await tried("origin", () => { if (self.origin === "null") throw new TypeError(); return self.origin })
  await tried("parent", () => parent.document.title)
  await tried("cookies", () => document.cookie)
  await tried("storage", () => localStorage.length)
  await tried("fetch", () => inTime(() => fetch(new URL("/api/me", location.href))))
  await tried("socket", () => inTime(() => new Promise((ok, no) => { const s = new WebSocket("ws://" + location.host + "/api/sessions/x/ws"); s.onopen = () => ok("open"); s.onerror = () => no(new TypeError()) })))
  await tried("picture", () => inTime(() => new Promise((ok, no) => { const i = new Image(); i.onload = () => ok("shown"); i.onerror = () => no(new TypeError()); i.src = new URL("/icon.svg", location.href) })))
  await tried("top", () => { top.location.href = "https://elsewhere.example/"; return "sent" })
  await tried("popup", () => { if (!open("https://elsewhere.example/")) throw new TypeError(); return "opened" })
  await tried("eval", () => eval("1"))
  await tried("inline", () => { const s = document.createElement("script"); s.textContent = "document.body.dataset.inline = 1"; document.head.append(s); if (!document.body.dataset.inline) throw new TypeError(); return "ran" })
  note("end", "tried")
}
all()
addEventListener("message", ({ data }) => {
  if (!data || data.xbot !== 1 || data.id !== 777) return
  note("answered", "the page answered what has no shape")
})
`
const buttons = `
const press = (name, f) => { const b = document.createElement("button"); b.textContent = name; b.onclick = f; document.body.append(b) }
press("strange", () => { for (const m of [null, 1, "x", { xbot: 2, id: 777, method: "ready" }, { xbot: 1, id: 777, method: "cookies" }, { xbot: 1, id: 777, method: "ready", more: 1 }, { xbot: 1, id: "777", method: "ready" }, { xbot: 1, id: 777, method: "resize", params: { height: "9" } }]) parent.postMessage(m, "*") })
press("huge", () => parent.postMessage({ xbot: 1, id: 777, method: "ask", params: "x".repeat(5e6) }, "*"))
press("deep", () => { let d = []; for (let i = 0; i < 5000; i++) d = [d]; parent.postMessage({ xbot: 1, id: 777, method: "ask", params: d }, "*") })
press("flood", () => { for (let i = 0; i < 5000; i++) parent.postMessage({ xbot: 1, id: 1e6 + i, method: "ask", params: i }, "*") })
press("tall", () => parent.postMessage({ xbot: 1, id: 2, method: "resize", params: { height: 1e9 } }, "*"))
press("leave", () => { location.href = "https://elsewhere.example/?told" })
`
const archive = tar({
  "plugin.json": { text: JSON.stringify(manifest) }, run: { text: "#!/bin/sh\nread -r request\necho '{\"said\":\"hello\"}'\n", mode: 0o755 },
  "web/index.html": { text: '<!doctype html><meta charset="utf-8"><title>x</title><body><script src="xbot-widget.js"></script><script src="buttons.js"></script><script src="hostile.js"></script>' },
  "web/xbot-widget.js": { text: sdk }, "web/buttons.js": { text: buttons }, "web/hostile.js": { text: hostile },
})

/** Only the built server serves files of plugins. */
export const server = {
  "a panel of a plugin is shown, asks its plugin, and reaches nothing else": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const settings = await openSettings(v, "Plugins")
    await settings.getByLabel("Archive of a plugin").setInputFiles({ name: "pest.tar", mimeType: "application/x-tar", buffer: archive })
    const draft = settings.getByRole("region", { name: "Pest" })
    await draft.getByText("shows panels on the page to every user who opens one").waitFor()
    await draft.getByText("Grabber: a panel on the page").waitFor()
    await draft.getByRole("button", { name: "Permit and install" }).click()
    await settings.getByRole("listitem", { name: "Pest" }).waitFor()
    const complaints = v.complaints.length
    const asked = []
    const counts = (request) => request.url().endsWith("/widgets/grab") && asked.push(request)
    const outside = []
    const leaves = (request) => request.url().includes("elsewhere.example") && outside.push(request.url())
    v.page.on("request", counts)
    v.page.on("request", leaves)
    let popups = 0
    const popped = () => popups++
    v.page.context().on("page", popped)

    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitem", { name: "Grabber" }).click()
    await v.page.getByRole("heading", { name: "Grabber", level: 1 }).waitFor()
    const element = v.page.locator("iframe[title=Grabber]")
    assert.equal(await element.getAttribute("sandbox"), "allow-scripts")
    const frame = v.page.frameLocator("iframe[title=Grabber]")
    await frame.locator("#end").waitFor()
    assert.equal(await frame.locator("#look").textContent(), "look: en light Grabber 3", "the look of the page, and nothing of the person")
    assert.equal(await frame.locator("#asked").textContent(), 'asked: {"said":"hello"}')
    for (const name of ["origin", "parent", "cookies", "storage", "fetch", "socket", "picture", "popup", "eval", "inline"])
      assert.match((await frame.locator(`#${name}`).textContent()) ?? "", /: refused /, name)
    assert.match(v.page.url(), /\/panels\/pest\/grab$/, "it did not lead the page elsewhere")
    assert.match((await frame.locator("body").getAttribute("data-violations")) ?? "", /connect-src/)

    const warned = v.page.getByText("The panel sent an invalid request")
    assert.equal(await warned.count(), 0)
    await v.page.evaluate(() => postMessage({ xbot: 1, id: 1, method: "ask", params: "of the page itself" }, "*"))
    const before = asked.length
    await frame.getByRole("button", { name: "strange" }).click()
    await warned.waitFor()
    for (const name of ["huge", "deep"]) await frame.getByRole("button", { name }).click()
    await frame.getByRole("button", { name: "flood" }).click()
    await frame.getByRole("button", { name: "tall" }).click()
    assert.equal(await frame.locator("#answered").count(), 0, "what has no shape is not answered")
    assert.ok(asked.length - before <= 40, `a flood asks the server ${asked.length - before} times`)
    assert.ok((await element.boundingBox()).height <= 20_000)
    assert.equal(await warned.count(), 1, "said once")
    await frame.getByRole("button", { name: "leave" }).click({ force: true })
    await v.page.waitForFunction(() => document.querySelector("iframe[title=Grabber]") !== null)
    assert.equal(popups, 0)
    assert.deepEqual(outside.filter((url) => !url.includes("?told")), [])
    assert.match(v.page.url(), /\/panels\/pest\/grab$/)
    v.page.off("request", counts)
    v.page.off("request", leaves)
    v.page.context().off("page", popped)

    const again = await openSettings(v, "Plugins")
    await again.getByRole("button", { name: "Remove Pest" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).click()
    await again.getByText("No plugins are installed.").waitFor()
    await v.page.goto(`${v.url}/panels/pest/grab`)
    await v.page.getByText("Panel not found.").waitFor()
    v.complaints.length = complaints // the walls that held are told in the console
  },
}
