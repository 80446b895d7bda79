// What must be seen of plugins. Each name is a claim.
import assert from "node:assert/strict"

import { hasValue } from "./lib/fields.mjs"
import { openSettings } from "./lib/settings.mjs"
import { tar } from "./lib/tar.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const manifest = {
  id: "looker", name: "Looker", version: "1.0.0", description: "Looks at things.", runtime: "stdio", command: ["./look"], permissions: ["network", "hooks", "channel"],
  contributes: {
    tools: [{ name: "look", description: "Looks.", read_only: true }], hooks: [{ event: "PreToolUse", if: "Shell(look *)" }], commands: [{ name: "look", help: { en: "looks" } }],
    channels: [{ name: "looker", label: "Looker", ids: { person: "[0-9]+", example: "1" }, abilities: { text: 1000 } }],
    settings: [{ name: "token", type: "secret", title: { en: "Token" }, required: true }, { name: "limit", type: "number", title: { en: "Limit" }, default: 3 }],
  },
}
const archive = tar({ "plugin.json": { text: JSON.stringify(manifest) }, look: { text: "#!/bin/sh\necho looked\n", mode: 0o755 } })

export const server = {
  "a plugin is installed after what it asks for was seen, gets its settings, is switched off and removed": async (v) => {
    await v.page.setViewportSize(desk)
    await v.page.goto(v.url)
    await v.ready()
    const page = await openSettings(v, "Plugins")
    await page.getByText("No plugins are installed.").waitFor()
    const choose = () => page.getByLabel("Archive of a plugin").setInputFiles({ name: "looker.tar", mimeType: "application/x-tar", buffer: archive })
    await choose()
    const draft = page.getByRole("region", { name: "Looker" })
    await draft.getByText("opens connections to other machines").waitFor()
    await draft.getByText("is a platform: receives and sends messages").waitFor()
    await draft.getByRole("listitem").getByText("looker", { exact: true }).waitFor()
    await draft.getByText("Runs: ./look").waitFor()
    await draft.getByText("plugin_looker_look: says that it changes nothing").waitFor()
    await draft.getByText("PreToolUse Shell(look *): on failure, deny the call").waitFor()
    await draft.getByRole("button", { name: "Cancel" }).click()
    await draft.waitFor({ state: "detached" })
    await page.getByText("No plugins are installed.").waitFor()
    await choose()
    await v.inspect("190-plugin-asks")
    await draft.getByRole("button", { name: "Permit and install" }).click()
    const row = page.getByRole("list", { name: "Plugins" }).getByRole("listitem", { name: "Looker" })
    await row.getByText("Required settings are missing: token").waitFor()
    await row.getByText("plugin_looker_look: says that it changes nothing").waitFor()
    await row.getByRole("button", { name: "Settings of Looker" }).click()
    const form = row.getByRole("form", { name: "Settings of Looker" })
    await form.getByLabel("Token").fill("sk-secret-of-looker")
    await form.getByLabel("Limit").fill("7")
    await form.getByRole("button", { name: "Save" }).click()
    await row.getByText("Required settings are missing").waitFor({ state: "detached" })
    await form.getByText("Stored. Leave empty to keep the current value.").waitFor()
    assert.equal(await form.getByLabel("Token").inputValue(), "", "a secret is not shown again")
    await hasValue(form.getByLabel("Limit"), "7")
    await v.inspect("191-plugin")
    await v.page.setViewportSize(phone)
    await v.inspect("191-plugin-phone")
    await v.page.setViewportSize(desk)
    await row.getByRole("button", { name: "Switch off Looker" }).click()
    await row.getByText("looker · 1.0.0 · off").waitFor()
    await row.getByRole("button", { name: "Switch on Looker" }).click()
    await row.getByText("looker · 1.0.0 · on").waitFor()
    await row.getByRole("button", { name: "Remove Looker" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).click()
    await page.getByText("No plugins are installed.").waitFor()
  },
}

export const mock = {
  "the last failure of a plugin is shown with its time": async (v) => {
    await v.page.setViewportSize(desk)
    await v.page.goto(v.url)
    await v.ready()
    const page = await openSettings(v, "Plugins")
    await page.getByLabel("Archive of a plugin").setInputFiles({ name: "looker.tar", mimeType: "application/x-tar", buffer: archive })
    await page.getByRole("button", { name: "Permit and install" }).click()
    const row = page.getByRole("list", { name: "Plugins" }).getByRole("listitem", { name: "Looker" })
    await row.getByText(/^Last failure, .*\d{1,2}:\d{2}.*: its process ended with exit code 1; it wrote: no token$/).waitFor()
  },
}
