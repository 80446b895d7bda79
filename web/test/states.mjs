// States that only the mock can be brought into at will. Each name is a claim.
import assert from "node:assert/strict"

const open = async (v, name) => {
  await v.page.goto(`${v.url}/c/agent:main:web:thread:${name}`)
  await v.ready()
  await v.page.getByRole("article").last().waitFor()
}

/** Where something is, once it has stopped moving there. */
const settled = async (v, what) => {
  await v.page.waitForFunction((element) => element.getAnimations().every(({ playState }) => playState === "finished"), await what.elementHandle())
  return what.boundingBox()
}

export const states = {
  "every page of the settings is in sight, and the dialog stays where it is while they are gone through": async (v) => {
    await open(v, "trip")
    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitem", { name: "Settings" }).click()
    const dialog = v.page.getByRole("dialog", { name: "Settings" })
    const tabs = dialog.getByRole("tab")
    await tabs.nth(9).waitFor()
    await dialog.getByRole("tab", { name: "Runners" }).click()
    await dialog.getByRole("tabpanel").getByRole("radio").first().waitFor()
    const list = await dialog.getByRole("tablist").boundingBox()
    const frame = await settled(v, dialog)
    for (const tab of await tabs.all()) {
      const box = await tab.boundingBox()
      assert.ok(box.x >= list.x && box.x + box.width <= list.x + list.width, `${await tab.innerText()} is out of sight`)
      await tab.click()
      await dialog.getByRole("tabpanel").waitFor()
      assert.deepEqual(await dialog.boundingBox(), frame)
    }
    await v.inspect("45-settings")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await tabs.first().focus()
    for (const tab of await tabs.all()) {
      await v.page.waitForFunction((tab) => tab === document.activeElement, await tab.elementHandle())
      await v.page.waitForFunction((tab) => tab.getBoundingClientRect().right <= tab.parentElement.getBoundingClientRect().right - 31, await tab.elementHandle())
      await v.page.keyboard.press("ArrowRight")
    }
    await v.inspect("46-settings-phone")
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.page.keyboard.press("Escape")
  },

  "a refused message keeps its words and offers ways on": async (v) => {
    await open(v, "trip")
    await v.send("reject this")
    await v.sees(/Not accepted/)
    await v.inspect("33-refused")
    await v.page.getByRole("button", { name: "Edit" }).click()
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
    await v.page.getByRole("button", { name: "Forget refused.bin" }).click()
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
