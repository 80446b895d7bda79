// What must hold of a person's own roles and prompts. Each name is a claim.
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"

import { section } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const open = async (v, id) => {
  await v.page.goto(`${v.url}/settings/${id}`)
  await section(v).getByRole("heading", { level: 2 }).waitFor()
  return section(v)
}

const inChinese = async (v, look) => {
  await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
  try {
    await look()
  } finally {
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.page.setViewportSize(desk)
  }
}

export const server = {
  "a role that is made on the page is handed work, and a prompt that is written there is what the model reads": async (v) => {
    const shown = await open(v, "roles")
    await shown.getByRole("button", { name: "New role" }).click()
    await shown.getByLabel("Name", { exact: true }).fill("scout")
    await shown.getByLabel("Description").fill("Looks where nobody looked.")
    await shown.getByLabel("Instructions").fill("You look.")
    await shown.getByRole("checkbox", { name: "Read", exact: true }).check()
    await shown.getByRole("button", { name: "Save" }).click()
    const scout = shown.getByRole("listitem", { name: "scout (yours)" })
    await scout.getByText(/tools: Read ·/).waitFor()
    const prompts = await open(v, "prompts")
    const system = prompts.getByRole("region", { name: "System prompt" })
    await system.getByRole("textbox", { name: "Text", exact: true }).fill("You serve {{.User}} and nobody else.")
    await system.getByRole("button", { name: "Save", exact: true }).click()
    await system.getByText("changed", { exact: true }).waitFor()
    await v.page.goto(v.url)
    await v.ready()
    await v.ask('call SubAgent {"role":"scout","task":"say seen"}\nsay it is done', "it is done")
    await v.send("/prompt")
    await v.sees(/You serve \w+ and nobody else\./)
    await v.sees(/scout: Looks where nobody looked\./)

    const again = await open(v, "prompts")
    await again.getByRole("button", { name: "Reset to the default: System prompt" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Reset to the default" }).click()
    await again.getByRole("region", { name: "System prompt" }).getByText("changed", { exact: true }).waitFor({ state: "detached" })
  },
}

export const mock = {
  "a person makes a role with the tools that they check, changes it, and goes back to how it was": async (v) => {
    const shown = await open(v, "roles")
    const roles = shown.getByRole("list", { name: "Roles" })
    await roles.getByRole("listitem", { name: "explorer (of the program)" }).waitFor()
    await v.inspect("190-roles")
    await roles.getByRole("button", { name: "Make my own from explorer" }).click()
    assert.ok(await shown.getByRole("checkbox", { name: "task_read" }).isChecked(), "a pattern of a file is the tools that it means")
    assert.ok(!(await shown.getByRole("checkbox", { name: "Shell" }).isChecked()))
    await shown.getByLabel("Name", { exact: true }).fill("not a name")
    await shown.getByRole("button", { name: "Save" }).click()
    await shown.getByRole("alert").getByText(/is none/).waitFor()
    await shown.getByLabel("Name", { exact: true }).fill("scout")
    await shown.getByRole("checkbox", { name: "Shell" }).check()
    await shown.getByRole("checkbox", { name: "task_read" }).uncheck()
    await v.inspect("191-role-form")
    await shown.getByRole("button", { name: "Save" }).click()
    const scout = roles.getByRole("listitem", { name: "scout (yours)" })
    await scout.getByText(/Glob, Grep, Read, .*Shell/).waitFor()

    await scout.getByRole("button", { name: "Edit scout" }).click()
    await shown.getByLabel("Instructions").fill("You look twice.")
    await shown.getByRole("button", { name: "Save" }).click()
    await scout.getByRole("button", { name: "Versions of scout" }).click()
    await scout.getByRole("button", { name: /Version 2.*in force/ }).click()
    await scout.getByRole("region", { name: "Changes in version 2" }).getByText("You look twice.").waitFor()
    await scout.getByRole("button", { name: /^Version 1/ }).click()
    await v.inspect("192-role-versions")
    await scout.getByRole("button", { name: "Put this version in force" }).click()
    await scout.getByRole("button", { name: /Version 3.*in force/ }).waitFor()
    const downloading = v.page.waitForEvent("download")
    await scout.getByRole("link", { name: "Download scout as a file" }).click()
    const file = await downloading
    assert.equal(file.suggestedFilename(), "scout.md")
    assert.match(await readFile(await file.path(), "utf8"), /name: scout[^]*You explore\./)
    await scout.getByRole("button", { name: "Delete scout" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await scout.waitFor({ state: "detached" })
  },

  "a role of the program is switched off and on, and cannot be deleted": async (v) => {
    const shown = await open(v, "roles")
    const coder = shown.getByRole("listitem", { name: "coder (of the program)" })
    await coder.getByRole("button", { name: "Turn off coder" }).click()
    await coder.getByText("off", { exact: true }).waitFor()
    assert.equal(await coder.getByRole("button", { name: /Delete/ }).count(), 0)
    await v.page.setViewportSize(phone)
    await v.inspect("193-roles-phone")
    await v.page.setViewportSize(desk)
    await coder.getByRole("button", { name: "Turn on coder" }).click()
    await coder.getByRole("button", { name: "Turn off coder" }).waitFor()
    await inChinese(v, async () => {
      const shown = await open(v, "roles")
      await shown.getByRole("listitem", { name: "coder （程序自带）" }).or(shown.getByRole("listitem", { name: "coder (程序自带)" })).waitFor()
      await v.page.setViewportSize(phone)
      await v.inspect("194-roles-chinese-phone")
    })
  },

  "a person writes a system prompt, compares its versions, goes back, and has the default again": async (v) => {
    const shown = await open(v, "prompts")
    const system = shown.getByRole("region", { name: "System prompt" })
    await system.getByRole("textbox", { name: "Text", exact: true }).waitFor()
    await v.inspect("195-prompts")
    await system.getByRole("textbox", { name: "Text", exact: true }).fill("{{range .Tools}}x{{end}}")
    await system.getByRole("button", { name: "Save", exact: true }).click()
    await system.getByRole("alert").getByText(/not possible here/).waitFor()
    await system.getByRole("textbox", { name: "Text", exact: true }).fill("You serve {{.User}} alone.")
    await system.getByLabel("Label", { exact: true }).fill("servant")
    await system.getByRole("button", { name: "Save", exact: true }).click()
    await system.getByText("changed", { exact: true }).waitFor()
    await system.getByRole("button", { name: "Versions of System prompt" }).click()
    await system.getByRole("button", { name: /^servant.*in force/ }).waitFor()
    await system.getByRole("radio", { name: "Behind the installation's text" }).check()
    await system.getByRole("textbox", { name: "Text", exact: true }).fill("You like tea.")
    await system.getByRole("button", { name: "Save", exact: true }).click()
    await system.getByRole("button", { name: /^v2.*in force/ }).click()
    await system.getByRole("region", { name: "Changes in v2" }).getByText("You like tea.").waitFor()
    await v.inspect("196-prompt-versions")
    await system.getByRole("button", { name: /^servant/ }).click()
    await system.getByRole("button", { name: "Put this version in force" }).click()
    await v.page.waitForFunction(() => [...document.querySelectorAll("textarea")].some(({ value }) => value === "You serve {{.User}} alone."))
    await system.getByRole("button", { name: "Reset to the default: System prompt" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Reset to the default" }).click()
    await system.getByText("changed", { exact: true }).waitFor({ state: "detached" })
    assert.match(await system.getByRole("textbox", { name: "Text", exact: true }).inputValue(), /^You are xbot/)
    await system.getByRole("button", { name: /^v4.*the installation's text.*in force/ }).waitFor()
  },

  "words of a capability are changed and reset": async (v) => {
    const shown = await open(v, "prompts")
    const memory = shown.getByRole("listitem", { name: "Memory" })
    await memory.getByRole("button", { name: "Edit Memory" }).click()
    await memory.getByRole("textbox", { name: "Text", exact: true }).fill("# Known")
    await memory.getByRole("button", { name: "Save", exact: true }).click()
    await memory.getByText("changed", { exact: true }).waitFor()
    await v.page.setViewportSize(phone)
    await v.inspect("197-prompts-phone")
    await v.page.setViewportSize(desk)
    await memory.getByRole("button", { name: "Reset to the default: Memory" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Reset to the default" }).click()
    await memory.getByText("changed", { exact: true }).waitFor({ state: "detached" })
    await inChinese(v, async () => {
      const shown = await open(v, "prompts")
      await shown.getByRole("region", { name: "系统提示词" }).waitFor()
      await v.inspect("198-prompts-chinese")
    })
  },
}
