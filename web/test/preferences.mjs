// What a person sets for themselves, on all their devices. Each name is a claim.
import assert from "node:assert/strict"

import { hasValue } from "./lib/fields.mjs"
import { openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const theme = (v) => v.page.evaluate(() => document.documentElement.dataset.theme ?? "auto")

const untilTheme = (v, wanted) => v.page.waitForFunction((name) => (document.documentElement.dataset.theme ?? "auto") === name, wanted)

const again = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}

export const mock = {
  "the theme that a person chose is on their other devices, unless one looks as it does by itself": async (v, { mock }) => {
    await again(v)
    await v.page.evaluate(() => localStorage.removeItem("xbot.look.own"))
    mock.preferences.elsewhere("theme", "dark")
    await again(v)
    await untilTheme(v, "dark")
    const you = await openSettings(v, "You")
    const choice = you.getByRole("combobox", { name: "Appearance" })
    await choice.selectOption("light")
    await untilTheme(v, "light")
    await v.page.waitForFunction(async () => (await (await fetch("/api/me", { headers: { "X-Xbot-Page": localStorage.getItem("xbot.page") ?? "" } })).json()).theme === "light")
    await you.getByRole("checkbox", { name: "Only on this device" }).check()
    mock.preferences.elsewhere("theme", "dark")
    await again(v)
    assert.equal(await theme(v), "light", "this device keeps its own")
    await (await openSettings(v, "You")).getByRole("checkbox", { name: "Only on this device" }).uncheck()
    mock.preferences.elsewhere("theme", "auto")
    await again(v)
    await untilTheme(v, "auto")
    await v.page.evaluate(() => localStorage.setItem("xbot.look.own", "on")) // later claims choose the language of this browser alone
  },

  "what a person sets for answers has versions, and comes back": async (v, { mock }) => {
    await again(v)
    const you = await openSettings(v, "You")
    const language = you.getByRole("combobox", { name: "Language of answers" })
    await language.selectOption({ label: "Chinese" })
    await you.getByRole("button", { name: "History" }).click()
    const versions = you.getByRole("list", { name: "History" })
    const chosen = versions.getByRole("listitem").filter({ hasText: "Language of answers" }).filter({ hasText: "the one that you write in → Chinese" })
    await chosen.getByText("current").waitFor()
    await you.getByRole("combobox", { name: "Memory of conversations" }).selectOption({ label: "off" })
    await language.selectOption({ label: "German" })
    await versions.getByRole("listitem").filter({ hasText: "Language of answers" }).filter({ hasText: "Chinese → German" }).waitFor()
    await v.inspect("190-preferences")
    await v.page.setViewportSize(phone)
    await v.inspect("190-preferences-phone")
    await v.page.setViewportSize(desk)
    await chosen.getByRole("button", { name: "Restore this version" }).click()
    await versions.getByRole("listitem").filter({ hasText: "Language of answers" }).filter({ hasText: "German → Chinese" }).waitFor()
    await hasValue(language, "zh")
    await hasValue(you.getByRole("combobox", { name: "Memory of conversations" }), "")
    mock.preferences.elsewhere("language", "en")
    await chosen.getByRole("button", { name: "Restore this version" }).click()
    await v.page.getByText("Your preferences were changed meanwhile").waitFor()
    await versions.getByRole("listitem").filter({ hasText: "Language of answers" }).filter({ hasText: "Chinese → English" }).waitFor()
  },

  "administrators see who changed which setting, and what was before": async (v) => {
    const changes = await openSettings(v, "Changes")
    await changes.getByRole("listitem").filter({ hasText: "language" }).first().waitFor()
    assert.equal(await changes.getByText("feishu").count(), 0)
    await changes.getByRole("checkbox", { name: "Include changes to the installation and users" }).check()
    await changes.getByText("feishu").waitFor()
    await changes.getByText("member → admin").waitFor()
    await changes.getByText("secret – → new").first().waitFor()
    await v.inspect("191-changes")
    await v.page.setViewportSize(phone)
    await v.inspect("191-changes-phone")
    await v.page.setViewportSize(desk)
  },
}
