// States that only the mock can be brought into at will. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings, section } from "./lib/settings.mjs"

const open = async (v, name) => {
  await v.page.goto(`${v.url}/c/agent:main:web:thread:${name}`)
  await v.ready()
  await v.page.getByRole("article").last().waitFor()
}

export const mock = {
  "every section of the settings has an address, a title, and a way back on a phone": async (v) => {
    await open(v, "trip")
    await openSettings(v, "Runners")
    const links = v.page.getByRole("navigation", { name: "Sections of the settings" }).getByRole("link")
    assert.ok((await links.count()) >= 15)
    for (const link of await links.all()) {
      await link.focus()
      await v.page.keyboard.press("Enter")
      const title = await link.innerText()
      await section(v).getByRole("heading", { level: 2, name: title, exact: true }).waitFor()
      assert.equal(new URL(v.page.url()).pathname, new URL(await link.getAttribute("href"), v.url).pathname)
      assert.equal(await link.getAttribute("aria-current"), "page")
      assert.ok(await link.evaluate((element) => element === document.activeElement), `${title} keeps the focus`)
    }
    await openSettings(v, "You")
    await v.inspect("45-settings")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.inspect("45-settings-phone")
    await v.page.getByRole("link", { name: "All settings" }).click()
    await v.inspect("46-settings-list-phone")
    for (const title of ["About", "Usage"]) {
      await links.filter({ hasText: title }).click()
      await v.page.waitForFunction(() => document.activeElement?.id === "section-title")
      await v.inspect(`46-settings-${title}-phone`)
      await v.page.goBack()
      await links.first().waitFor()
    }
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.page.goto(`${v.url}/settings/limits`)
    await section(v).getByRole("heading", { level: 2, name: "Limits" }).waitFor()
    await v.page.goto(`${v.url}/settings/nothing`)
    await v.page.getByText("There is nothing at this address.").waitFor()
    await v.inspect("45-settings-missing")
    await v.page.keyboard.press("Escape")
    await v.ready()
  },

  "a member is shown no section of what they may not change": async (v) => {
    await v.page.route("**/api/me", async (route) => {
      const answer = await route.fetch()
      const me = await answer.json()
      await route.fulfill({ response: answer, json: { ...me, user: { ...me.user, role: "member" } } })
    })
    await v.page.goto(`${v.url}/settings/people`)
    await v.page.getByText("There is nothing at this address.").waitFor()
    const links = v.page.getByRole("navigation", { name: "Sections of the settings" }).getByRole("link")
    assert.deepEqual(await links.allInnerTexts(), ["You", "Models and keys", "Agents and roles", "Skills & agents", "Prompts", "Permissions", "Tools", "Connected accounts", "Memory", "Runners", "Schedules", "Triggers", "Usage", "Changes", "About"])
    await v.page.unroute("**/api/me")
    await v.page.goto(v.url)
    await v.ready()
  },

  "a refused message keeps its words and offers ways on": async (v) => {
    await open(v, "trip")
    await v.send("reject this")
    await v.sees(/Not accepted/)
    await v.inspect("33-refused")
    await v.page.getByRole("button", { name: "Edit", exact: true }).click()
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "reject this")
    await v.clear()
  },

  "a story of many steps reads well": async (v) => {
    await open(v, "story")
    await v.inspect("34-story")
    await v.page.getByRole("button", { name: /of 3 done/ }).click()
    await v.page.getByRole("button", { name: /go test.*failed/ }).click()
    await v.inspect("35-story-open")
    await open(v, "steps")
    await v.inspect("36-many-steps")
  },

  "answered questions, ended tasks and commands read well": async (v) => {
    await open(v, "beside")
    await v.sees("Allowed by admin")
    await v.sees(/not on a Friday/)
    await v.main.getByRole("button", { name: /Background task bg1 ended.*exit code 2/ }).waitFor()
    await v.inspect("43-beside")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.inspect("44-beside-phone")
    await v.page.setViewportSize({ width: 1280, height: 860 })
  },

  "a file that is refused says why, and one on its way can be cancelled": async (v) => {
    await open(v, "trip")
    const choose = (name) => v.page.getByLabel("Files to attach").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("x") })
    await choose("refused.bin")
    await v.main.getByRole("alert").getByText(/larger than 100 MB/).waitFor()
    await v.page.route("**/files", () => undefined) // never answered
    await choose("slow.txt")
    await v.page.getByRole("progressbar", { name: "Uploading slow.txt" }).waitFor()
    await v.inspect("45-uploads")
    await v.page.getByRole("button", { name: "Cancel slow.txt" }).click()
    await v.page.getByRole("button", { name: "Remove refused.bin" }).click()
    await v.page.unroute("**/files")
    await v.page.getByRole("progressbar").waitFor({ state: "detached" })
  },

  "every bad ending is told in words": async (v) => {
    await open(v, "endings")
    for (const words of ["You stopped the answer here.", "Five attempts failed", "closed from outside", "output limit"]) await v.sees(new RegExp(words))
    await v.inspect("37-endings")
  },

  "a long answer with everything in it": async (v) => {
    await open(v, "markdown")
    await v.inspect("38-markdown")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.inspect("39-markdown-phone")
    await v.page.getByRole("button", { name: "Details" }).first().click()
    await v.page.getByRole("dialog").getByText("Timeline").waitFor()
    await v.inspect("40-details-phone")
    await v.page.keyboard.press("Escape")
    await v.page.setViewportSize({ width: 1280, height: 860 })
  },

  "a long conversation is drawn only where it is seen, and reading upwards does not jump": async (v) => {
    await open(v, "marathon")
    await v.sees("Chapter 400?")
    const { drawn, heights } = await v.main.locator(".fade-edges").evaluate(async (element) => {
      const turns = () => [...element.querySelectorAll("article")]
      const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))
      while (turns().length < 60) {
        element.scrollBy(0, -300) // older turns are read as one comes to the first
        await frames()
      }
      const drawn = turns().filter((turn) => turn.lastElementChild.checkVisibility({ contentVisibilityAuto: true })).length
      element.scrollTo(0, element.scrollHeight)
      const heights = []
      for (let n = 0; n < 25; n++) {
        await frames()
        heights.push(element.scrollHeight)
        element.scrollBy(0, -300)
      }
      return { drawn, heights }
    })
    assert.ok(drawn > 0 && drawn < 40, `${drawn} turns are drawn`)
    assert.equal(new Set(heights).size, 1, `nothing above moves what is read: ${heights}`)
  },

  "a place that does not exist says so": async (v) => {
    await v.page.goto(`${v.url}/c/agent:main:web:thread:none`)
    await v.sees(/does not exist/)
    await v.inspect("41-missing")
  },

  "the keyboard's list of keys": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.send("/help")
    await v.page.getByRole("dialog").getByRole("heading", { name: "Commands and shortcuts" }).waitFor()
    await v.inspect("42-help")
    await v.page.keyboard.press("Escape")
  },
}
