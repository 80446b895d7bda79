// What must be seen of links by which anybody reads a conversation. Each name is a claim.
import assert from "node:assert/strict"

const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

export const server = {
  "a conversation is shared by a link that is read without signing in, and shows nothing once it is revoked": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask('call Shell {"command":"echo sealed-word"}\nsay **planted** the [list](notes/list.md)', "planted")
    const conversation = v.page.url()
    const dialog = v.page.getByRole("dialog", { name: /^Share “/ })
    const opens = async () => {
      await v.page.getByRole("navigation").locator("li", { has: v.page.locator("[aria-current=page]") }).getByRole("button", { name: /^Actions for / }).click()
      await v.page.getByRole("menuitem", { name: "Share…" }).click()
    }
    await opens()
    await dialog.getByText("There is no link to this conversation.").waitFor()
    await dialog.getByLabel("Good for").selectOption("30 days")
    await dialog.getByRole("button", { name: "Make a link" }).click()
    await dialog.getByText("Copy it now. It will not be shown again.").waitFor()
    await v.inspect("230-share")
    const link = await dialog.locator("code").innerText()
    assert.match(link, /\/shared\/[\w-]{43}$/)

    const stranger = await v.page.context().browser().newContext({ viewport: desk, locale: "en-GB", reducedMotion: "reduce", serviceWorkers: "block" })
    const { page } = v
    try {
      v.page = await stranger.newPage()
      await v.page.goto(link)
      await v.main.getByText("Used Shell").waitFor()
      await v.main.locator("strong", { hasText: "planted" }).waitFor()
      assert.equal(await v.main.getByRole("link").count(), 0, "a file of the conversation is no link")
      await v.main.getByText(/^Shared conversation, as of/).waitFor()
      assert.equal(await v.page.locator("#message").count(), 0, "nothing can be written")
      assert.equal(await v.page.getByRole("navigation").count(), 0)
      await v.inspect("231-shared")
      await v.page.setViewportSize(phone)
      await v.inspect("231-shared-phone")
      assert.doesNotMatch(v.page.url(), /login/)

      await dialog.getByRole("button", { name: /^Revoke the link/ }).click()
      await dialog.getByText("There is no link to this conversation.").waitFor()
      await v.page.reload()
      await v.page.getByRole("heading", { name: "Link unavailable" }).waitFor()
      await v.inspect("232-shared-gone-phone")
    } finally {
      v.page = page
      await stranger.close()
    }
    await v.page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    assert.equal(v.page.url(), conversation)

    await v.page.setViewportSize(phone)
    await v.page.getByRole("button", { name: "Show conversations" }).click()
    await opens()
    await dialog.getByRole("button", { name: "Make a link" }).click()
    await dialog.getByRole("button", { name: /^Revoke the link/ }).waitFor()
    await v.inspect("230-share-phone")
    await dialog.getByRole("button", { name: /^Revoke the link/ }).click()
    await dialog.getByText("There is no link to this conversation.").waitFor()
    await v.page.setViewportSize(desk)
    await v.page.goto(v.url)
  },
}
