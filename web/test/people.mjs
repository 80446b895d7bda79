// How people come in and go. Each name is a claim.
import assert from "node:assert/strict"

import { visitorAt } from "./lib/others.mjs"
import { openSettings } from "./lib/settings.mjs"
import { Visitor } from "./lib/visitor.mjs"

const PASSWORD = "battery horse correct"

const openPeople = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  const dialog = await openSettings(v, "People")
  return dialog
}

const act = async (v, dialog, name, what) => {
  await dialog.getByRole("button", { name: `Actions for ${name}` }).click()
  await v.page.getByRole("menuitem", { name: what, exact: true }).click()
}

export const server = {
  "somebody is invited, makes an account, works, is shut out in the middle of a turn, and deleted": async (v) => {
    const dialog = await openPeople(v)
    await dialog.getByLabel("Note").fill("Lena")
    await dialog.getByRole("button", { name: "Create invitation" }).click()
    const link = await dialog.locator("code", { hasText: "/join#token=" }).textContent()
    await v.inspect("170-invitation")

    const browser = v.page.context().browser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-GB", reducedMotion: "reduce" })
    const lena = new Visitor(await context.newPage(), v.url, v.artifacts)
    await lena.page.goto(link)
    await lena.page.waitForURL((url) => url.hash === "")
    await lena.page.getByLabel("Your name here").fill("admin")
    await lena.page.getByLabel("Password").fill(PASSWORD)
    await lena.page.getByRole("button", { name: "Make account" }).click()
    await lena.page.getByText("there is somebody named").waitFor()
    await lena.inspect("171-join")
    await lena.page.getByLabel("Your name here").fill("Lena")
    await lena.page.getByRole("button", { name: "Make account" }).click()
    await lena.ready()
    await lena.ask("say good morning", "good morning")
    const { key } = lena
    await lena.begin("stream 4000 50ms")
    await lena.sees("w5", lena.turn)

    const again = await openPeople(v)
    await act(v, again, "Lena", "Disable")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click()
    await again.getByRole("listitem").filter({ hasText: "Lena" }).getByText("disabled").waitFor()
    await lena.page.waitForURL("**/login**")
    await lena.page.getByLabel("Name").fill("Lena")
    await lena.page.getByLabel("Password").fill(PASSWORD)
    await lena.page.getByRole("button", { name: "Sign in" }).click()
    await lena.page.getByText("an administrator has disabled this account").waitFor()

    await act(v, again, "Lena", "Enable")
    await act(v, again, "Lena", "Sign-in link")
    const back = await again.locator("code", { hasText: "/login#token=" }).textContent()
    await v.page.goto(back)
    await v.page.getByText("You are signed in as admin. This link signs you in as Lena.").waitFor()
    await v.inspect("171-other-account")
    await v.page.getByRole("link", { name: "Stay signed in as admin" }).click()
    await v.ready()
    assert.equal((await v.api("/api/me")).user.name, "admin", "the link has ended no login")
    await lena.page.goto(back)
    await lena.ready()
    await lena.page.getByRole("navigation").getByRole("link", { name: /say good morning/ }).click()
    await lena.sees("Stopped: an administrator has disabled this account.")
    assert.equal(await lena.page.getByText("w4000").count(), 0)

    const beside = await visitorAt(v, v.url, { storageState: await v.page.context().storageState() }) // a tab of the same window would hide the other and slow it down
    const last = await openPeople(beside)
    const others = last.getByRole("region", { name: "Conversations of groups and of others" })
    await others.getByText("Lena · Web").waitFor()
    assert.equal(await talksOf(v, "Lena"), 1)
    await act(beside, last, "Lena", "Delete…")
    await beside.page.getByRole("alertdialog").getByRole("button", { name: "Delete for good" }).click()
    await last.getByText(/being deleted · [01] of 1 conversations left/).waitFor()
    await lena.page.waitForURL("**/login**")
    const told = beside.page.getByText("Deleted for good: Lena").waitFor({ timeout: 120_000 })
    deletion = { beside, last, others, lena, key, told: told.catch((error) => error) }
    await v.page.keyboard.press("Escape")
  },
}

/** The deletion of Lena while it goes on. */
let deletion

/** How many conversations an administrator sees of somebody. */
const talksOf = async (v, name) => (await v.api("/api/inspect/sessions?limit=500")).sessions?.filter(({ user }) => user === name).length ?? 0

/** What takes Temporal some seconds: it is looked at after the claims of others. */
export const serverLast = {
  "a deletion comes to its end, which the page tells, and leaves neither a login nor a conversation": async (v) => {
    const { beside, last, others, lena, key, told } = deletion
    assert.equal(await told, undefined)
    await last.getByRole("listitem").filter({ hasText: "Lena" }).waitFor({ state: "detached" })
    await others.getByText("Lena · Web").waitFor({ state: "detached" })
    assert.equal(await talksOf(v, "Lena"), 0)
    assert.ok(!(await v.api("/api/users")).users.some(({ name }) => name === "Lena"))
    const messages = `${v.url}/api/sessions/${encodeURIComponent(key)}/messages`
    assert.equal((await v.page.request.get(messages, { headers: await v.headers() })).status(), 404)
    assert.equal((await lena.page.request.get(messages)).status(), 401)
    await lena.page.getByLabel("Name").fill("Lena")
    await lena.page.getByLabel("Password").fill(PASSWORD)
    await lena.page.getByRole("button", { name: "Sign in" }).click()
    await lena.page.getByText("name or password is wrong").waitFor()
    assert.deepEqual([...lena.complaints, ...beside.complaints], [])
    await lena.page.context().close()
    await beside.page.context().close()
  },
}

export const mock = {
  "accounts and invitations are listed, added, changed and withdrawn": async (v) => {
    const dialog = await openPeople(v)
    await dialog.getByRole("listitem").filter({ hasText: "Tom" }).getByText("disabled").waitFor()
    await v.inspect("172-people")
    await dialog.getByLabel("Username").fill("lena")
    await dialog.getByRole("button", { name: "Add user" }).click()
    await dialog.getByText("there is somebody named").waitFor()
    await dialog.getByLabel("Username").fill("Mona")
    await dialog.getByRole("button", { name: "Add user" }).click()
    await dialog.getByText("Send this link to Mona.").waitFor()
    await act(v, dialog, "Mona", "Make administrator")
    await dialog.getByRole("listitem").filter({ hasText: "Mona" }).getByText("Administrator").waitFor()
    await act(v, dialog, "Mona", "Disable")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click()
    await dialog.getByRole("listitem").filter({ hasText: "Mona" }).getByText("disabled").waitFor()
    await act(v, dialog, "Tom", "Delete…")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete for good" }).click()
    await dialog.getByText("being deleted · 2 of 2 conversations left").waitFor()
    await v.inspect("173-deleted")
    await dialog.getByRole("listitem").filter({ hasText: "Tom" }).waitFor({ state: "detached" })
    await dialog.getByRole("button", { name: "Withdraw the invitation: Platform team" }).click()
    await dialog.getByText("No invitation is open.").waitFor()
    await v.page.keyboard.press("Escape")
  },

  "a person may come by a provider, and reads why they were not let in": async (v) => {
    const context = await v.page.context().browser().newContext({ viewport: { width: 1280, height: 860 }, locale: "en-GB", reducedMotion: "reduce" })
    const guest = new Visitor(await context.newPage(), v.url, v.artifacts)
    await guest.page.goto(`${v.url}/login?next=%2Fc%2Fa#problem=denied`)
    await guest.page.getByText("does not let you in").waitFor()
    const link = guest.page.getByRole("link", { name: "Sign in with Example ID" })
    assert.equal(await link.getAttribute("href"), "/oidc/login?next=%2Fc%2Fa")
    await guest.inspect("174-sign-on")
    assert.deepEqual(guest.complaints, [])
    await context.close()
  },

  "an invitation is taken on a phone, in Chinese": async (v) => {
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await v.page.goto(`${v.url}/join#token=mock`)
    await v.page.getByRole("button", { name: "创建账号" }).waitFor()
    await v.inspect("173-join-zh-phone")
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.page.goto(v.url)
    await v.ready()
  },
}
