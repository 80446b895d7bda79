// What must be seen of calls that a hook has left to an administrator. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const open = async (v) => {
  await v.page.goto(`${v.url}/c/${encodeURIComponent("agent:main:web:thread:push")}`)
  await v.ready()
}

/** Answers of the server who the visitor is, with another role. */
const asMember = async (v) => {
  await v.page.route("**/api/me", async (route) => {
    const answer = await route.fetch()
    const me = await answer.json()
    await route.fulfill({ response: answer, json: { ...me, user: { ...me.user, role: "user" } } })
  })
}

export const mock = {
  "who is no administrator reads that a call waits for one, and has no buttons": async (v) => {
    await asMember(v)
    await open(v)
    const card = v.main.getByRole("group", { name: "Shell waits for an administrator" })
    await card.waitFor()
    await v.sees("Waiting for an administrator: may Shell run?")
    assert.equal(await card.getByRole("button").count(), 0)
    await v.inspect("180-deferred-member")
    await v.page.unroute("**/api/me")
  },

  "an administrator finds the call in the settings and decides it in its conversation": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const dialog = await openSettings(v, "Hooks")
    const waiting = dialog.getByRole("region", { name: "Waiting for an administrator" }).getByRole("listitem", { name: "Shell" })
    await waiting.getByText("git push --tags origin release/2.4").waitFor()
    await dialog.getByText(/missing closing/).waitFor()
    await v.inspect("181-hooks")
    await v.page.setViewportSize(phone)
    await v.inspect("181-hooks-phone")
    await v.page.setViewportSize(desk)
    await waiting.getByRole("link", { name: "Open the conversation" }).click()
    await dialog.waitFor({ state: "detached" })
    const card = v.main.getByRole("group", { name: "A hook leaves it to an administrator: may Shell run?" })
    await card.waitFor()
    assert.equal(await card.getByRole("button", { name: /^Always/ }).count(), 0)
    await v.inspect("182-deferred")
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await v.page.reload()
    await v.ready()
    await v.sees("钩子将此事交给管理员决定：允许运行 Shell 吗？")
    await v.page.setViewportSize(phone)
    await v.inspect("183-deferred-chinese-phone")
    await v.page.setViewportSize(desk)
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.page.reload()
    await v.ready()
    await card.getByRole("button", { name: /^Deny/ }).click()
    await card.getByRole("textbox").fill("not today")
    await v.page.keyboard.press("Enter")
    await v.sees(/Denied by admin/)
    await v.sees("I did not push it.")
  },
}
