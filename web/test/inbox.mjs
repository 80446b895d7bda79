// What must be seen of the inbox of services. Each name is a claim.
import assert from "node:assert/strict"

import { hasValue } from "./lib/fields.mjs"
import { openSettings } from "./lib/settings.mjs"

const begin = async (v) => {
  await v.page.setViewportSize({ width: 1280, height: 860 })
  await v.page.goto(v.url)
  await v.ready()
  return openSettings(v, "Inbox")
}

/** States of the mock alone: it has an item. */
export const mock = {
  "an administrator reads what a consumer asks, as text alone, with a number that says how much waits": async (v) => {
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.page.goto(v.url)
    await v.ready()
    await v.page.getByRole("button", { name: /1 wait in the inbox/ }).waitFor() // that of the account, wherever they are
    const page = await openSettings(v, "Inbox")
    await v.page.getByRole("navigation").getByRole("listitem").getByRole("status", { name: "1 wait in the inbox" }).waitFor()
    await page.getByText("She wants her money back").waitFor()
    await v.inspect("310-inbox")
    await page.getByRole("button", { name: /^Where is my parcel/ }).click()
    await page.getByText("She wants her money back for order 7. <img").waitFor()
    const talk = page.getByRole("list", { name: "Conversation" })
    await talk.getByText("<img src=x onerror=alert(1)> It is on its way.").waitFor()
    await talk.getByText("Uses Read").waitFor()
    await v.page.getByRole("status", { name: /wait in the inbox/ }).first().waitFor({ state: "detached" }) // it was read by that
    await v.inspect("311-inbox-item")
  },

  "an answer that fails keeps its text, and one that is sent stands in the conversation": async (v) => {
    const page = await begin(v)
    await page.getByLabel("Show").selectOption("Everything")
    await page.getByRole("button", { name: /^Where is my parcel/ }).click()
    const box = page.getByLabel("Your answer")
    await box.fill("please refuse me")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("the database is away").waitFor()
    assert.equal(await box.inputValue(), "please refuse me")
    await box.fill("You get it back.")
    await box.press("Control+Enter")
    await page.getByRole("list", { name: "Conversation" }).getByText("You get it back.").waitFor()
    await page.getByText("admin (handover)").waitFor()
    await hasValue(box, "")
    await hasValue(page.getByLabel("Status"), "handled")
  },

  "older items are shown on demand, until there are none": async (v) => {
    const item = (n) => ({
      id: `inbox_${String(n).padStart(8, "0")}`, service_id: "svc_0a1b2c3d", service_name: "Help desk", conversation_id: "0123456789", session: "agent:svc_0a1b2c3d:svc:thread:0123456789",
      title: `Question ${n}`, message: "Please call me.", status: "read", created_at: new Date(n * 1000).toISOString(), changed_at: new Date(n * 1000).toISOString(),
    })
    const asked = []
    await v.page.route(/\/api\/inbox\?/, (route) => {
      const query = new URL(route.request().url()).searchParams
      asked.push(query.get("status"))
      const last = query.has("before") ? Date.parse(query.get("before")) / 1000 - 1 : 4
      return route.fulfill({ json: { items: [item(last), item(last - 1)], more: last > 2, taken: [], unread: { items: 0, waiting: 0 } } })
    })
    const page = await begin(v)
    await page.getByLabel("Show").selectOption("Read")
    const items = page.getByRole("list", { name: "Items" }).getByRole("listitem")
    await items.nth(1).waitFor()
    assert.equal(await items.count(), 2)
    await page.getByRole("button", { name: "Older ones" }).click()
    await items.nth(3).waitFor()
    assert.deepEqual(await items.locator("span:first-child").allInnerTexts(), ["Question 4", "Question 3", "Question 2", "Question 1"])
    await page.getByRole("button", { name: "Older ones" }).waitFor({ state: "detached" })
    assert.equal(asked.at(-1), "read", "they are of the status that was chosen")
    await v.page.unroute(/\/api\/inbox\?/)
  },

  "a conversation is taken and given back by keyboard, on a phone, in the dark": async (v) => {
    const page = await begin(v)
    await v.page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel("Show").selectOption("Everything")
    await page.getByRole("button", { name: /^Where is my parcel/ }).click()
    const take = page.getByRole("button", { name: "Take the conversation" })
    await take.focus()
    await v.page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Return to the agent" }).waitFor()
    assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the phone")
    await v.inspect("312-inbox-phone")
    await page.getByRole("button", { name: "Inbox" }).first().click()
    await page.getByText("Taken by admin").first().waitFor()
    await page.getByRole("button", { name: /^Where is my parcel/ }).first().click()
    await page.getByRole("button", { name: "Return to the agent" }).click()
    await page.getByRole("button", { name: "Take the conversation" }).waitFor()
  },
}
