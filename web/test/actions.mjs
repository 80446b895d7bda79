// What must be seen of what models show on the page. Each name is a claim.
import assert from "node:assert/strict"

/** A message that makes the model show something, then say a word. */
const shows = (action, word) => `call tui_control ${JSON.stringify(action)}\nsay ${word}`

/** Opens a new conversation. */
async function begins(v) {
  await v.page.goto(v.url)
  await v.ready()
}

export const mock = {
  "what is asked for is opened: details, what the model sees, the to-do list, a file": async (v) => {
    await begins(v)
    await v.ask(shows({ action: "layout", what: "details", value: "show" }, "opened the details"), "opened the details")
    await v.page.getByRole("complementary", { name: "Details" }).waitFor()
    await v.ask(shows({ action: "layout", what: "context", value: "show" }, "opened the context"), "opened the context")
    await v.page.getByRole("complementary", { name: "Context" }).waitFor()
    await v.ask(shows({ action: "layout", what: "context", value: "hide" }, "closed it"), "closed it")
    assert.equal(await v.page.getByRole("complementary").count(), 0)
    await v.ask(`call todo_write {"todos":[{"id":"1","text":"rake the leaves","done":false},{"id":"2","text":"sharpen the rake","done":false}]}\n${shows({ action: "open", what: "todos" }, "unfolded them")}`, "unfolded them")
    await v.main.getByRole("listitem").filter({ hasText: "sharpen the rake" }).waitFor()
    await v.send(`call Shell {"command":"echo of-this-file > shown.txt"}\n${shows({ action: "open", what: "files", value: "shown.txt" }, "showed the file")}`)
    await v.page.getByRole("dialog").getByText("of-this-file").first().waitFor()
    await v.page.keyboard.press("Escape")
    await v.page.getByRole("dialog").waitFor({ state: "detached" })
  },

  "another conversation and a section of the settings are opened, and not while something is being written": async (v) => {
    await begins(v)
    await v.ask("say the first of the two", "the first of the two")
    const first = v.key
    await begins(v)
    await v.send(shows({ action: "open", what: "conversation", value: first }, "went there"))
    await v.page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(first))
    await v.sees("the first of the two")
    await v.ready()
    await v.send(shows({ action: "open", what: "settings", value: "models" }, "opened the settings"))
    await v.page.waitForURL(/\/settings\/models$/)
    await begins(v)
    const held = v.held()
    await v.begin(`call Shell ${JSON.stringify({ command: held.command })}\n${shows({ action: "open", what: "conversation", value: first }, "stayed here")}`)
    const here = v.key
    await v.write("half a thought")
    await held.release()
    await v.sees("stayed here", v.main)
    assert.equal(v.key, here)
    assert.equal(await v.box.textContent(), "half a thought")
    await v.clear()
  },

  "nothing is opened while something is being filled in": async (v) => {
    await begins(v)
    await v.ask("say edit me later", "edit me later")
    const held = v.held()
    await v.begin(`call Shell ${JSON.stringify({ command: held.command })}\n${shows({ action: "open", what: "files", value: "." }, "left the files closed")}`)
    await v.page.evaluate(() => {
      const box = document.createElement("textarea") // as an editor in the conversation has
      box.id = "editor"
      document.querySelector("main").append(box)
      box.focus()
    })
    await held.release()
    await v.sees("left the files closed", v.main)
    assert.equal(await v.page.getByRole("dialog").count(), 0)
    assert.equal(await v.page.evaluate(() => document.activeElement.id), "editor")
  },
}

export const server = {
  "a theme that is asked for in words is there, and the one of the system comes back": async (v) => {
    const theme = () => v.page.evaluate(() => document.documentElement.dataset.theme ?? "")
    await begins(v)
    await v.ask(shows({ action: "theme", value: "dark" }, "painted it"), "painted it")
    assert.equal(await theme(), "dark")
    await v.ask(shows({ action: "theme", value: "system" }, "gave it back"), "gave it back")
    assert.equal(await theme(), "")
  },

  "of a tab and its copy one shows it": async (v) => {
    await begins(v)
    await v.ask("say a tab and its copy", "a tab and its copy")
    const id = await v.page.evaluate(() => sessionStorage["xbot.client"])
    const copy = await v.page.context().newPage()
    await copy.addInitScript((same) => (sessionStorage["xbot.client"] = same), id)
    await copy.goto(v.page.url())
    await copy.locator("#message.tiptap").waitFor()
    await v.ask(shows({ action: "layout", what: "details", value: "show" }, "in one of both"), "in one of both")
    await copy.getByText("in one of both").last().waitFor()
    assert.equal((await v.page.getByRole("complementary", { name: "Details" }).count()) + (await copy.getByRole("complementary", { name: "Details" }).count()), 1)
    await copy.close()
  },

  "only the tab that the message came from shows it": async (v) => {
    await begins(v)
    await v.ask("say two tabs look at this", "two tabs look at this")
    const other = await v.page.context().newPage()
    await other.goto(v.page.url())
    await other.locator("#message.tiptap").waitFor()
    await v.ask(shows({ action: "layout", what: "details", value: "show" }, "in one tab"), "in one tab")
    await v.page.getByRole("complementary", { name: "Details" }).waitFor()
    await other.getByText("in one tab").last().waitFor()
    assert.equal(await other.getByRole("complementary").count(), 0)
    await other.close()
    await v.page.keyboard.press("Control+.")
    const before = await v.page.getByRole("complementary").count()
    await v.say(shows({ action: "layout", what: "details", value: "show" }, "from a script"))
    await v.sees("from a script", v.main)
    await v.sees("Answered", v.turn)
    assert.equal(await v.page.getByRole("complementary").count(), before)
  },
}
