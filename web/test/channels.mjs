// What must work on the page of channels. Each name is a claim; they come after those of routing.mjs.
import assert from "node:assert/strict"

import { closeDialog, openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const inspectBoth = async (v, name) => {
  await v.inspect(name)
  await v.page.setViewportSize(phone)
  await v.shot(`${name}-phone`)
  await v.fits(`${name} on a phone`)
  await v.page.setViewportSize(desk)
}

const openChannels = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  const dialog = await openSettings(v, "Channels")
  await dialog.getByRole("list", { name: "Bots" }).or(dialog.getByText("No bot is set up yet.")).first().waitFor()
  return dialog
}

const row = (dialog, name) => dialog.getByRole("listitem", { name, exact: true })

const TOKEN = "token-of-the-page"

/** What a server without a platform shows. */
export const server = {
  "the form of a bot is checked as one types": async (v) => {
    const dialog = await openChannels(v)
    await dialog.getByRole("button", { name: "Add a bot on Feishu" }).click()
    await dialog.getByRole("textbox", { name: "App ID" }).waitFor()
    assert.equal(await dialog.getByText("This is needed.").count(), 0, "nobody is scolded for what is not filled in yet")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("This is needed.").first().waitFor()
    await inspectBoth(v, "130-channel-form")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.getByRole("button", { name: "Add a bot on NapCat" }).click()
    await dialog.getByRole("textbox", { name: "Name" }).fill("Not So")
    await dialog.getByText(/^account has up to 32 small letters/).waitFor()
    await dialog.getByRole("textbox", { name: "Name" }).fill("page")
    await dialog.getByRole("textbox", { name: "Address of NapCat" }).fill("gopher://127.0.0.1:9")
    await dialog.getByText("url must begin with ws:// or wss://").waitFor()
    await dialog.getByRole("textbox", { name: "Address of NapCat" }).fill("ws://127.0.0.1:9")
    await dialog.getByText(/The form is complete/).waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await closeDialog(v)
  },

  "a bot is saved, its secret shown to nobody, and why it is not connected is said": async (v) => {
    const dialog = await openChannels(v)
    await dialog.getByRole("button", { name: "Add a bot on NapCat" }).click()
    await dialog.getByRole("textbox", { name: "Name" }).fill("page")
    await dialog.getByRole("textbox", { name: "Address of NapCat" }).fill("ws://127.0.0.1:9")
    await dialog.getByLabel("Token", { exact: true }).fill(TOKEN)
    await dialog.getByText(/The form is complete/).waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    const bot = row(dialog, "NapCat/page")
    await bot.getByText(/NapCat at 127\.0\.0\.1:9 is not reached/).waitFor()
    await bot.getByText("not connected", { exact: true }).waitFor()
    assert.doesNotMatch(JSON.stringify(await v.api("/api/channels")), new RegExp(TOKEN))
    await bot.getByRole("button", { name: "Change NapCat/page" }).click()
    await dialog.getByText(/^Already set\. Leave empty to keep the current value\./).waitFor()
    assert.equal(await dialog.getByLabel("Token", { exact: true }).inputValue(), "")
    await closeDialog(v)
  },

  "a test says step by step what does not work": async (v) => {
    const dialog = await openChannels(v)
    await row(dialog, "NapCat/page").getByRole("button", { name: "Test NapCat/page" }).click()
    const test = dialog.getByRole("region", { name: "Test of NapCat/page" })
    await test.getByRole("button", { name: "Test", exact: true }).click()
    await test.getByText("Something does not work yet.").waitFor()
    await test.getByText(/is not reached/).first().waitFor()
    await test.getByText("None was sent, since no place was given.").waitFor()
    await inspectBoth(v, "131-channel-test")
    await closeDialog(v)
  },

  "a bot is switched off and removed": async (v) => {
    const dialog = await openChannels(v)
    const bot = row(dialog, "NapCat/page")
    await bot.getByRole("button", { name: "Switch off NapCat/page" }).click()
    await bot.getByText("switched off", { exact: true }).waitFor()
    await bot.getByRole("button", { name: "Remove NapCat/page" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
    await bot.waitFor({ state: "detached" })
    await closeDialog(v)
  },

  "where nothing is missing on a platform the list of what did not arrive says so": async (v) => {
    const dialog = await openChannels(v)
    await dialog.getByText("Nothing that was written in the last seven days is missing on a platform.").waitFor()
    await closeDialog(v)
  },
}

export const mock = {
  "a bot shows how it stands, its address, and what its platform does not permit": async (v) => {
    const dialog = await openChannels(v)
    const feishu = row(dialog, "Feishu")
    await feishu.getByText(/^connected since/).waitFor()
    await feishu.getByText(/180 ms late · 2 waiting to be sent/).waitFor()
    await feishu.getByText("Messages wait: the organization has used up its calls of Feishu's API for this month").waitFor()
    await feishu.getByText("https://xbot.example/channels/feishu").waitFor()
    const qq = row(dialog, "QQ")
    await qq.getByText(/^Set by the server's environment \(QQ_APP_ID, QQ_APP_SECRET\)/).waitFor()
    assert.equal(await qq.getByRole("button").count(), 1, "it can be tested, not changed")
    await feishu.getByRole("button", { name: "Test Feishu" }).click()
    const test = dialog.getByRole("region", { name: "Test of Feishu" })
    await test.getByRole("textbox", { name: "Send a test message to" }).fill("last")
    await v.page.keyboard.press("Enter")
    await test.getByText(/^Add im:message\.group_msg at open\.feishu\.cn/).waitFor()
    await inspectBoth(v, "132-channels")
    await closeDialog(v)
  },

  "an administrator sees what did not arrive on a platform, where and why": async (v) => {
    const dialog = await openChannels(v)
    const missed = dialog.getByRole("list", { name: "Not delivered", exact: true }).getByRole("listitem")
    await missed.first().waitFor()
    assert.equal(await missed.count(), 2)
    const refused = await missed.first().innerText()
    for (const words of ["Message", "refused by the platform", "QQ · Lin", "agent:main:qq:dm:", "it was removed or muted"]) assert.ok(refused.includes(words), `${words} is not in ${refused}`)
    const lost = await missed.last().innerText()
    for (const words of ["Question", "may have arrived", "Feishu/two · Ada"]) assert.ok(lost.includes(words), `${words} is not in ${lost}`)
    await inspectBoth(v, "133-undelivered")
    await closeDialog(v)
  },
}
