// How keys of the services that tools use are set. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const KEY = "sk-of-a-tool-0123456789wxyz"
const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

/** States that the mock has. */
export const keysOfMock = {
  "a key for a tool is tried, saved and removed, and never shown again": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const part = (await openSettings(v, "Models and keys")).getByRole("region", { name: "Keys for tools" })
    const row = part.getByRole("listitem", { name: "Pictures" })
    await row.getByText("not set").waitFor()
    await part.getByRole("listitem", { name: "Search: SearXNG" }).getByText("from the environment").waitFor()
    await row.getByRole("button", { name: "Edit Pictures" }).click()
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("it needs a key: enter it").waitFor()
    await row.getByLabel("Key", { exact: true }).fill("wrong")
    await row.getByRole("button", { name: "Test" }).click()
    await row.getByText("It does not work: the key was not accepted (401)").waitFor()
    await row.getByLabel("Key", { exact: true }).fill(KEY)
    await row.getByRole("button", { name: "Test" }).click()
    await row.getByText("It answered in").waitFor()
    await v.inspect("220-tool-key")
    await v.page.setViewportSize(phone)
    await v.inspect("220-tool-key-phone")
    await v.page.setViewportSize(desk)
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("the installation's · key …wxyz").waitFor()
    assert.doesNotMatch(await v.page.content(), new RegExp(KEY))

    await row.getByRole("button", { name: "Edit Pictures" }).click()
    await row.getByLabel("Whose").selectOption({ label: "For you alone" })
    await row.getByLabel("Key", { exact: true }).fill(`mine-${KEY}-9876`)
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("your own · key …9876").waitFor()
    for (const whose of ["For you alone", "For everybody"]) {
      await row.getByRole("button", { name: "Edit Pictures" }).click()
      await row.getByLabel("Whose").selectOption({ label: whose })
      await row.getByRole("button", { name: "Remove" }).click()
      await row.getByLabel("Whose").waitFor({ state: "detached" })
    }
    await row.getByText("not set").waitFor()
    await v.page.keyboard.press("Escape")
  },
}
