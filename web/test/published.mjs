// What must be seen of services as their administrators make them. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const begin = async (v) => {
  await v.page.setViewportSize(desk)
  await v.page.goto(v.url)
  await v.ready()
  return openSettings(v, "Services")
}

const list = (at) => at.getByRole("list", { name: "Services" })
const confirm = (v, name) => v.page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click()

/** Makes a service that is called so; the view of it is open then. */
const make = async (page, name) => {
  await page.getByRole("button", { name: "New service" }).click()
  const form = page.getByRole("form", { name: "Configuration" })
  await form.getByLabel("Name", { exact: true }).fill(name)
  await form.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { level: 3, name }).waitFor()
}

const remove = async (v, page, name) => {
  await page.getByRole("button", { name: "Delete", exact: true }).first().click()
  await confirm(v, "Delete the service")
  await list(page).getByRole("listitem", { name }).waitFor({ state: "detached" })
}

/** Conversations of consumers, which the mock has. */
export const mock = {
  "a key of a service is shown once with its link, rotated, and revoked": async (v) => {
    const page = await begin(v)
    await make(page, "Key shop")
    await page.getByLabel("Name of the new key").fill("till")
    await v.page.keyboard.press("Enter")
    const note = page.getByRole("status").filter({ hasText: "Key of till." })
    const key = await note.getByText(/^sk-svc-[0-9a-f]{48}$/).innerText()
    await note.getByText(new RegExp(`/s/svc_[0-9a-f]{8}#key=${key}$`)).waitFor()
    await note.getByRole("button", { name: "Copy: Key, for a program" }).waitFor()
    await v.inspect("302-service-key")
    await v.page.setViewportSize(phone)
    await v.inspect("302-service-key-phone")
    await v.page.setViewportSize(desk)
    const row = page.getByRole("list", { name: "Keys" }).getByRole("listitem", { name: "till" })
    await row.getByText(`${key.slice(0, 12)}…`).waitFor()
    await row.getByRole("button", { name: "Rotate the key till" }).click()
    await confirm(v, "Rotate")
    await note.getByText(key, { exact: true }).waitFor({ state: "detached" })
    const other = await note.getByText(/^sk-svc-[0-9a-f]{48}$/).innerText()
    assert.notEqual(other, key)
    await row.getByRole("button", { name: "Revoke the key till" }).click()
    await confirm(v, "Revoke")
    await row.getByText("revoked").waitFor()
    await row.getByRole("button").first().waitFor({ state: "detached" })
    await note.waitFor({ state: "detached" })
    await remove(v, page, "Key shop")
  },

  "a task is published to a service, and what its consumers used is shown by day and by key": async (v) => {
    const page = await begin(v)
    await page.getByRole("button", { name: "Open Help desk" }).click()
    await page.getByRole("tab", { name: "Tasks" }).click()
    await page.getByText("Nothing is scheduled for this service.").waitFor()
    await page.getByRole("button", { name: "Publish a task" }).click()
    const form = page.getByRole("form", { name: "Publish a task" })
    await form.getByRole("button", { name: "Publish", exact: true }).click()
    await form.getByText("This is needed.").waitFor()
    await form.getByLabel("Message to the agent in each conversation").fill("say that we are closed")
    await form.getByLabel("When", { exact: true }).selectOption("interval")
    await form.getByLabel("Time, expression or seconds").fill("3600")
    await v.inspect("304-service-task")
    await form.getByRole("button", { name: "Publish", exact: true }).click()
    await page.getByRole("list", { name: "Tasks" }).getByText(/waits in line/).waitFor()
    await page.getByRole("tab", { name: "Usage" }).click()
    const used = page.getByRole("list", { name: "Usage" })
    await used.getByRole("listitem", { name: "In all" }).getByText(/52 requests · 2 refused or failed/).waitFor()
    await used.getByRole("listitem").nth(2).waitFor()
    await v.inspect("305-service-usage")
    await v.page.setViewportSize(phone)
    await v.inspect("305-service-usage-phone")
    await v.fits("usage of a service on a phone")
    await v.page.setViewportSize(desk)
    await page.getByLabel("Summed up").selectOption("key")
    await used.getByRole("listitem", { name: /^shop/ }).waitFor()
  },

  "a task whose publishing may have arrived is published as it was corrected, and the same again once": async (v) => {
    const page = await begin(v)
    await page.getByRole("button", { name: "Open Help desk" }).click()
    await page.getByRole("tab", { name: "Tasks" }).click()
    await page.getByRole("button", { name: "Publish a task" }).click()
    const form = page.getByRole("form", { name: "Publish a task" })
    const text = form.getByLabel("Message to the agent in each conversation")
    const sent = []
    let lost = 2
    await v.page.route("**/api/service-tasks", async (route) => {
      const { message, once } = route.request().postDataJSON()
      sent.push({ message, once })
      const response = await route.fetch()
      return lost-- > 0 ? route.abort() : route.fulfill({ response })
    })
    const publish = form.getByRole("button", { name: "Publish", exact: true })
    await text.fill("say that we are clsed")
    for (let times = 1; times <= 2; times++) {
      const failed = v.page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/service-tasks"))
      await publish.click()
      await failed
      await form.getByText("The server cannot be reached.").waitFor()
    }
    await text.fill("say that we are closed")
    await publish.click()
    await form.waitFor({ state: "detached" })
    await v.page.unroute("**/api/service-tasks")
    assert.equal(sent[0].once, sent[1].once, "the same is published once")
    assert.equal(sent[2].message, "say that we are closed")
    assert.notEqual(sent[2].once, sent[0].once, "another text is another task")
    assert.ok(sent.every(({ once }) => once !== ""))
  },

  "a conversation of a consumer that has no item is taken, answered and given back where it is read": async (v) => {
    const page = await begin(v)
    await page.getByRole("button", { name: "Open Help desk" }).click()
    await page.getByRole("tab", { name: "Conversations" }).click()
    await page.getByRole("list", { name: "Conversations" }).getByRole("button", { name: /^Tulips/ }).click()
    await page.getByRole("button", { name: "Answer or take it" }).click()
    await page.getByRole("list", { name: "Conversation" }).getByText("They are sold out.").waitFor()
    await page.getByRole("button", { name: "Take the conversation" }).click()
    await page.getByRole("button", { name: "Return to the agent" }).waitFor()
    await page.getByLabel("Your answer").fill("Tomorrow there are new ones.")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("admin (handover)").waitFor()
    await v.inspect("306-service-talk")
    await page.getByRole("button", { name: "Messages" }).click()
    const said = page.getByRole("region", { name: "Tulips" })
    await said.getByText("Tomorrow there are new ones.").waitFor()
    assert.equal(await said.getByText("admin (handover)").count(), 1, "what a person said is theirs, and the rest the agent's")
    await v.page.setViewportSize(phone)
    await v.inspect("306-service-person-phone")
    await v.fits("a conversation that a person has answered, on a phone")
    await v.page.setViewportSize(desk)
    await page.getByRole("button", { name: "Answer or take it" }).click()
    await page.getByRole("button", { name: "Return to the agent" }).click()
    await page.getByRole("button", { name: "Take the conversation" }).waitFor()
  },

  "conversations of consumers are found, read with their tool calls, and deleted": async (v) => {
    const page = await begin(v)
    await page.getByRole("button", { name: "Open Help desk" }).click()
    await page.getByRole("tab", { name: "Conversations" }).click()
    const all = page.getByRole("list", { name: "Conversations" })
    await all.getByText("Tulips").waitFor()
    await page.getByLabel("Find a conversation by its title").fill("parcel")
    await all.getByText("Tulips").waitFor({ state: "detached" })
    await all.getByRole("button", { name: /^Where is my parcel\?/ }).click()
    const said = page.getByRole("region", { name: "Where is my parcel?" })
    await said.getByText("It is on its way.").waitFor()
    assert.equal(await said.locator("img").count(), 0, "what a stranger wrote is no markup")
    await said.getByRole("button", { name: /^Read docs\/parcels.md/ }).click()
    await said.getByText("Parcels take two days.").waitFor()
    assert.equal(await said.getByRole("textbox").count(), 0, "nobody writes there")
    await v.inspect("303-service-conversation")
    await v.page.setViewportSize(phone)
    await v.inspect("303-service-conversation-phone")
    await v.page.setViewportSize(desk)
    await page.getByRole("button", { name: "All conversations" }).click()
    await page.getByLabel("Find a conversation by its title").fill("")
    await page.getByRole("button", { name: "Delete Tulips" }).click()
    await confirm(v, "Delete")
    await all.getByText("Tulips").waitFor({ state: "detached" })
  },

  "in Chinese, on a phone and by keyboard, a service is opened, its key made and its form seen": async (v) => {
    await begin(v)
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await v.page.setViewportSize(phone)
    await v.page.goto(`${v.url}/settings/services`)
    const { page } = v
    await page.getByRole("button", { name: "打开 Help desk" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => document.activeElement?.textContent === "Help desk", undefined, { polling: 100 })
    await page.getByRole("tab", { name: "密钥" }).focus()
    await page.getByLabel("新密钥的用途").fill("收银台")
    await page.keyboard.press("Enter")
    await page.getByText("这是 收银台 的密钥，只显示这一次。").waitFor()
    await page.getByRole("tab", { name: "密钥" }).focus()
    for (let form = false; !form; form = await page.getByRole("form", { name: "服务设置" }).isVisible()) await page.keyboard.press("ArrowRight") // whatever tabs stand between
    await page.getByRole("form", { name: "服务设置" }).getByLabel("欢迎语").waitFor()
    await v.inspect("304-service-zh-phone")
    await page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await page.setViewportSize(desk)
    await page.goto(v.url)
    await v.ready()
  },
}

export const server = {
  "a service is made, changed, withdrawn, published and deleted, and says what is wrong with it": async (v) => {
    const page = await begin(v)
    await page.getByRole("button", { name: "New service" }).click()
    const form = page.getByRole("form", { name: "Configuration" })
    await form.getByRole("button", { name: "Create" }).click()
    await form.getByText("Name the service.").waitFor()
    await form.getByLabel("Name", { exact: true }).fill("Flower shop")
    await form.getByLabel("Description").fill("Sells tulips.")
    await form.getByRole("checkbox", { name: /^Web/ }).check()
    await form.getByLabel("Documents").fill("faq/*.md\n")
    await form.getByLabel("Welcome text").fill("**Welcome** to the shop.")
    await form.getByLabel("Questions that its page offers").fill("What is in stock?\nDo you deliver?")
    const preview = form.getByRole("region", { name: "So its page begins" })
    await preview.locator("strong", { hasText: "Welcome" }).waitFor()
    await preview.getByText("Do you deliver?").waitFor()
    await form.getByLabel("Requests a minute").fill("none")
    await form.getByRole("button", { name: "Create" }).click()
    await form.getByText("Write a whole number").waitFor()
    await form.getByLabel("Requests a minute").fill("30")
    await v.inspect("300-service-form")
    await form.getByRole("button", { name: "Create" }).click()
    await page.getByRole("heading", { level: 3, name: "Flower shop" }).waitFor()
    await page.getByText("No keys. The service cannot be used without one.").waitFor()

    await page.getByRole("tab", { name: "Configuration" }).click()
    assert.equal(await form.getByLabel("Requests a minute").inputValue(), "30")
    assert.equal(await form.getByLabel("Documents").inputValue(), "faq/*.md")
    assert.ok(await form.getByRole("checkbox", { name: /^Web/ }).isChecked())
    await form.getByLabel("Sites that may embed it").fill("https://shop.example/path")
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByRole("alert").getByText("write one such as https://shop.example").waitFor()
    await form.getByLabel("Sites that may embed it").fill("https://shop.example")
    await form.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("Flower shop is saved.").waitFor()
    await page.getByRole("tab", { name: "Keys" }).click()
    await page.getByText(/^<script src="http.*\/s\/svc_[0-9a-f]{8}\/embed.js" async><\/script>$/).waitFor()

    await page.getByRole("button", { name: "Withdraw" }).click()
    await page.getByText("The service is unavailable. Visitors see a notice").waitFor()
    await page.getByRole("button", { name: "Publish" }).click()
    await page.getByText("published", { exact: true }).waitFor()
    await page.getByRole("button", { name: "All services" }).click()
    await list(page).getByRole("listitem", { name: "Flower shop" }).getByText("Sells tulips.").waitFor()
    await v.inspect("301-services")
    await v.page.setViewportSize(phone)
    await v.inspect("301-services-phone")
    await v.page.setViewportSize(desk)
    await page.getByRole("button", { name: "Open Flower shop" }).click()
    await remove(v, page, "Flower shop")
  },
}
