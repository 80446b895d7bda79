// How accounts are connected on the page. Each name is a claim.
import assert from "node:assert/strict"

import { call } from "./lib/others.mjs"
import { openSettings } from "./lib/settings.mjs"

const SECRET = "client-secret-of-a-page-0123456789"
const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

/** The section of the settings; there are no providers. */
const accountsOf = async (v) => {
  for (const { id } of (await v.api("/api/oauth/providers")).providers) await call(v, "DELETE", `/api/oauth/providers/${id}`)
  await v.page.goto(v.url)
  await v.ready()
  return openSettings(v, "Connected accounts")
}

const adds = async (page, address) => {
  await page.getByRole("button", { name: "Add a provider" }).click()
  const form = page.getByRole("form", { name: "Add a provider" })
  for (const [label, value] of [
    ["Id", "acme"], ["Name", "Acme"], ["Authorization address", `${address}/authorize`], ["Token address", `${address}/token`], ["Revocation address", `${address}/revoke`],
    ["Client id", "xbot"], ["Client secret", SECRET], ["Scopes", "read"], ["Further scopes", "write admin"],
  ]) await form.getByLabel(label, { exact: true }).fill(value)
  await form.getByRole("button", { name: "Save" }).click()
  await form.waitFor({ state: "detached" })
}

/** The secret is in nothing that the page shows, or the server sends it. */
const holdsNone = async (v) => {
  const shown = await v.page.evaluate(() => [document.documentElement.outerHTML, ...[...document.querySelectorAll("input")].map(({ value }) => value)].join("\n"))
  assert.ok(!`${shown}${JSON.stringify(await v.api("/api/oauth/providers"))}`.includes(SECRET), "the secret is shown")
}

const removes = async (v, page) => {
  const providers = page.getByRole("list", { name: "Shared providers" })
  await providers.getByRole("button", { name: "Remove Acme" }).click()
  await v.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  await providers.getByRole("listitem", { name: "Acme" }).waitFor({ state: "detached" })
}

export const server = {
  "an OAuth provider is added, keeps its secret to itself, leads to a page that says for whom, and is removed": async (v) => {
    const page = await accountsOf(v)
    await adds(page, "https://acme.example")
    await holdsNone(v)
    const accounts = page.getByRole("list", { name: "Connected accounts" })
    const opens = v.page.context().waitForEvent("page")
    await accounts.getByRole("button", { name: "Connect Acme" }).click()
    const tab = await opens
    await tab.getByRole("heading", { name: "Connect Acme" }).waitFor()
    await tab.getByText("xbot will be able to use your account at Acme").waitFor()
    await tab.getByRole("button", { name: "Continue to Acme" }).waitFor()
    await tab.setViewportSize(phone)
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is too wide for a phone")
    await tab.close()
    await removes(v, page)
    await v.page.keyboard.press("Escape")
  },
}

export const mock = {
  "an account is connected in another tab, shows whose it is, and is disconnected": async (v) => {
    const page = await accountsOf(v)
    await page.getByText("There is no provider yet.").waitFor()
    await page.getByRole("button", { name: "Add a provider" }).click()
    await v.inspect("240-provider-form")
    await page.getByRole("button", { name: "Cancel" }).click()
    await adds(page, "https://acme.example")
    const accounts = page.getByRole("list", { name: "Connected accounts" })
    await accounts.getByText("not connected").waitFor()
    const opens = v.page.context().waitForEvent("page")
    await accounts.getByRole("button", { name: "Connect Acme" }).click()
    await (await opens).close()
    await accounts.getByText("lena@example.com").waitFor()
    await v.inspect("241-connected-accounts")
    await v.page.setViewportSize(phone)
    await v.inspect("241-connected-accounts-phone")
    await v.page.setViewportSize(desk)
    await accounts.getByRole("button", { name: "Disconnect Acme" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click()
    await accounts.getByText("not connected").waitFor()
    await removes(v, page)
    await v.page.keyboard.press("Escape")
  },
}
