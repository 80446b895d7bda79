// What must work with any server whose model understands the programs of internal/llm/llmtest. Each name is a claim.
// The last one needs ways to kill the server and to start it again.
import assert from "node:assert/strict"

const PASSWORD = "correct horse battery"

export const both = {
  "the one-time link signs in and leaves the address bar at once": async (v, { link }) => {
    await v.page.goto(link)
    await v.page.waitForURL((url) => url.hash === "")
    await v.page.waitForURL("**/password")
    assert.doesNotMatch(v.page.url(), /token/)
  },

  "a password is chosen before anything else": async (v) => {
    await v.inspect("01-password")
    await v.page.getByLabel("New password").fill("short")
    await v.page.getByRole("button", { name: "Set password" }).click()
    await v.sees("The password needs at least 10 characters.")
    await v.page.getByLabel("New password").fill(PASSWORD)
    await v.page.getByRole("button", { name: "Set password" }).click()
    await v.ready()
  },

  "a conversation begins on the first page": async (v) => {
    await v.inspect("02-start")
    await v.ask("say hello there", "hello there")
    await v.page.waitForURL("**/c/**")
    await v.ready()
    await v.page.getByRole("navigation").getByRole("link", { name: /say hello there/ }).waitFor()
    await v.inspect("03-answer")
  },

  "a first message is answered in view also where the page hears late that there was no conversation before it": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    let late = true
    await v.page.route(/\/api\/sessions\/[^/]+\/messages$/, async (route) => {
      if (route.request().method() !== "GET" || !late) return route.fallback()
      late = false
      await v.page.getByText("Accepted").waitFor()
      const url = route.request().url().replace(/sessions\/[^/]+/, "sessions/agent%3Amain%3Aweb%3Athread%3Anone")
      return route.fulfill({ response: await route.fetch({ url }) })
    })
    await v.ask("say heard late", "heard late")
    await v.page.unrouteAll()
  },

  "a turn that ends while its conversation is being read is shown as ended": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("say before", "before")
    await v.begin('call Shell {"command":"sleep 1.5"}\nsay read late')
    await v.sees("Running", v.turn)
    await v.page.route(/\/api\/sessions\/[^/]+\/messages$/, async (route) => {
      const state = async () => (await (await route.fetch({ url: route.request().url().replace(/messages$/, "turns") })).json()).turns[0].state
      while ((await state()) !== "done") await v.page.waitForTimeout(50)
      return route.fallback()
    })
    await v.page.reload()
    await v.sees("read late", v.turn)
    await v.sees("Answered", v.turn)
    await v.page.unrouteAll()
  },

  "the page speaks Chinese and goes dark by hand": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitemradio", { name: "中文" }).click()
    await v.page.getByRole("menuitemradio", { name: "深色" }).click()
    await v.shot("19-account")
    await v.page.keyboard.press("Escape")
    await v.sees("需要我做什么？")
    await v.inspect("20-chinese")
    await v.page.reload()
    await v.ready()
    assert.equal(await v.page.evaluate(() => document.documentElement.dataset.theme), "dark")
    await v.page.getByRole("button", { name: /^账户与设置/ }).click()
    await v.page.getByRole("menuitemradio", { name: "English" }).click()
    await v.page.getByRole("menuitemradio", { name: "System" }).click()
    await v.page.keyboard.press("Escape")
    await v.page.evaluate(() => localStorage.setItem("xbot.look.own", "on")) // later claims choose the language of this browser alone
  },
}

export const mock = {
  "the menu of commands on the first page lies within the window, on a desk and on a phone": async (v) => {
    const desk = v.page.viewportSize()
    for (const size of [desk, { width: 390, height: 700 }]) {
      await v.page.setViewportSize(size)
      await v.page.goto(v.url)
      await v.ready()
      await v.write("/")
      const box = await v.page.getByRole("listbox", { name: "Commands" }).boundingBox()
      assert.ok(box.y >= 0 && box.y + box.height <= size.height, `${JSON.stringify(box)} in ${JSON.stringify(size)}`)
      await v.page.keyboard.press("Escape")
      await v.page.keyboard.press("Backspace")
    }
    await v.page.setViewportSize(desk)
  },

  "Markdown, code, tables and formulas are drawn": async (v) => {
    const text = "## Title\\n\\nA *word*, `code`, and $x^2$.\\n\\n| a | b |\\n| - | - |\\n| 1 | 2 |\\n\\n```go\\nfunc main() { println(1) }\\n```\\n\\nThe end."
    await v.ask(`say ${text}`, "The end.")
    await v.turn.getByRole("heading", { name: "Title" }).waitFor()
    await v.turn.locator("table td").first().waitFor()
    await v.turn.locator(".katex").first().waitFor()
    await v.turn.locator("pre code span[style*=color]").first().waitFor()
    await v.inspect("04-markdown")
  },

  "a Mermaid diagram is drawn as a picture, and one that is wrong stays code with the reason": async (v) => {
    const fence = (source) => "```mermaid\\n" + source.replaceAll("\n", "\\n") + "\\n```"
    await v.ask(`say ${fence("graph LR\naccTitle: How a turn goes\nA[\"<b>Question</b>\"] --> B[Answer]\nclick A href \"javascript:alert(1)\"")}\\n\\nand\\n\\n${fence("graph LR\nA ==")}\\n\\nThe end.`, "The end.")
    const picture = v.turn.getByRole("img", { name: "How a turn goes" })
    await picture.waitFor()
    assert.ok(await picture.evaluate((img) => img.complete && img.naturalWidth > 50), "the browser can show it")
    await v.turn.getByText("The diagram cannot be drawn").waitFor()
    await v.inspect("04-diagram")
    await v.turn.getByRole("button", { name: "Show the source" }).click()
    await v.turn.locator("figure code", { hasText: "javascript:alert(1)" }).waitFor()
  },

  "reasoning is folded and opens": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("think First I look at the question.\\nThen I answer it.\nsay thought about it", "thought about it")
    await v.turn.getByRole("button", { name: /Thought/ }).click()
    await v.sees("Then I answer it.", v.turn)
    await v.inspect("07-reasoning")
  },

  "the command /stop stops too": async (v) => {
    await v.begin("stream 300 50ms")
    await v.sees("w5", v.turn)
    await v.write("/st")
    await v.page.getByRole("option", { name: /stop/ }).waitFor()
    await v.shot("12-commands")
    await v.page.keyboard.press("Enter")
    await v.sees("Stopped", v.turn)
  },

  "an archived conversation leaves the list, is found below it and by search, and comes back with a message": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("say to be archived", "to be archived")
    await v.page.waitForURL("**/c/**")
    const list = v.page.getByRole("navigation")
    const row = list.getByRole("link", { name: /say to be archived/ })
    const choose = async (item) => {
      await row.first().hover()
      await list.getByRole("button", { name: /^Actions for say to be archived/ }).click()
      await v.page.getByRole("menuitem", { name: item }).click()
    }
    const folded = list.getByRole("button", { name: "Archived and one-shots" })
    const shelf = list.getByRole("region", { name: "Archived", exact: true })
    await choose("Archive")
    await row.first().waitFor({ state: "detached" })
    await folded.click()
    await shelf.getByRole("link", { name: /say to be archived/ }).waitFor()
    await v.inspect("15-archived")
    await folded.click()
    await v.page.keyboard.press("Control+k")
    await v.page.keyboard.type("to be archived")
    await row.first().waitFor()
    await v.page.keyboard.press("Escape")
    await row.first().waitFor({ state: "detached" })
    await v.ask("say it is back", "it is back")
    await list.getByRole("region", { name: "Today" }).getByRole("link", { name: /say to be archived/ }).waitFor()
    await choose("Archive")
    await row.first().waitFor({ state: "detached" })
    await folded.click()
    await choose("Back to the list")
    await list.getByRole("region", { name: "Today" }).getByRole("link", { name: /say to be archived/ }).waitFor()
    await folded.click()
  },

  "it works at phone width without sideways scrolling": async (v) => {
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.page.reload()
    await v.ready()
    await v.inspect("16-phone")
    await v.page.getByRole("button", { name: "Show conversations" }).click()
    await v.page.getByRole("dialog").getByRole("link", { name: "New conversation" }).waitFor()
    await v.inspect("17-phone-list")
    await v.page.getByRole("dialog").getByRole("link", { name: "New conversation" }).click()
    await v.page.waitForURL((url) => url.pathname === "/")
    await v.inspect("18-phone-start")
    await v.page.setViewportSize({ width: 1280, height: 860 })
  },
}

export const server = {
  "the Temporal UI opens by a path of this login, also from an address without one": async (v) => {
    const { temporal_ui } = await v.api("/api/me")
    assert.match(temporal_ui, /^\/temporal\/k\/[\w-]+\/$/)
    const other = await v.page.context().newPage()
    await other.goto(`${v.url}/open?at=${encodeURIComponent("/temporal/namespaces/default/workflows?q=1")}`)
    await other.waitForURL((url) => url.pathname.startsWith(temporal_ui))
    await other.getByText(/Temporal|Workflows/).first().waitFor()
    await other.close()
  },

  "a command is watched while it runs and read when it is done": async (v) => {
    const { command, release } = v.held()
    await v.begin(`call Shell ${JSON.stringify({ command: `for i in 1 2 3; do echo line $i; done; ${command}; echo line 4` })}\nsay the command is done`)
    const turn = await v.thisTurn()
    await turn.getByRole("button", { name: /Shell/ }).click()
    await turn.getByRole("region", { name: "Output so far" }).getByText("line 1").waitFor()
    await v.sees("Running Shell", turn)
    await v.inspect("05-tool-running")
    await release()
    await v.sees("the command is done", turn)
    await turn.getByRole("region", { name: "Output", exact: true }).getByText("line 4").waitFor()
    await v.inspect("06-tool-done")
  },

  "a failing command says so without being opened": async (v) => {
    await v.ask('call Shell {"command":"echo broken; exit 3"}\nsay that failed', "that failed")
    await v.turn.getByRole("button", { name: /Shell.*failed/ }).waitFor()
  },

  "a retry is told in words": async (v) => {
    await v.begin("fail 503 1\nsay recovered")
    await v.sees(/Attempt 2 of/, v.turn)
    await v.shot("08-retry")
    await v.sees("recovered", v.turn)
    await v.sees("Answered", v.turn)
  },

  "a message sent during a turn waits, visibly, and is answered after it": async (v) => {
    await v.begin("stream 160 50ms")
    await v.sees("w3", v.turn)
    await v.send("say after the long one")
    await v.sees(/Reaches the running turn|Number 1 in the queue/)
    await v.inspect("09-queued")
    await v.sees("Answered", v.turn)
    await v.sees("after the long one", v.turn)
  },

  "a reload in the middle of an answer loses and doubles nothing": async (v) => {
    await v.begin("stream 120 60ms")
    await v.sees("w4", v.turn)
    await v.page.reload()
    await v.sees("Answered", v.turn)
    await v.sees(/w1\s+w2.*w119\s+w120/, v.turn)
    assert.equal(await v.timesAsked("stream 120 60ms"), 1)
    await v.ready()
  },

  "the stop button stops, and what was said stays": async (v) => {
    await v.begin("stream 400 50ms")
    await v.sees("w5", v.turn)
    await v.shot("10-streaming")
    await v.page.getByRole("button", { name: "Stop" }).click()
    await v.sees("Stopped", v.turn)
    await v.inspect("11-stopped")
    await v.ask("say still here", "still here")
  },

  "what is written while offline is kept and sent once": async (v) => {
    await v.page.context().setOffline(true)
    await v.sees(/You are offline/)
    await v.send("say sent from a tunnel")
    await v.sees(/Not sent yet/)
    await v.write("a draft")
    await v.inspect("13-offline")
    await v.page.context().setOffline(false)
    await v.sees("sent from a tunnel", v.turn)
    await v.sees("Answered", v.turn)
    const asked = (await v.transcript()).filter((message) => message.role === "user" && message.content === "say sent from a tunnel")
    assert.equal(asked.length, 1)
    assert.match(await v.box.innerText(), /a draft/)
  },

  "a draft survives a reload, and the arrow recalls what was sent": async (v) => {
    await v.page.reload()
    await v.ready()
    await v.sees("sent from a tunnel", v.turn) // what was sent is known once the conversation is there
    assert.match(await v.box.innerText(), /a draft/)
    await v.clear()
    await v.page.keyboard.press("ArrowUp")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "say sent from a tunnel")
    await v.page.keyboard.press("ArrowDown")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "")
  },

  "details show the steps of a turn as a timeline": async (v) => {
    const turn = v.page.getByRole("article").filter({ hasText: "the command is done" }).last()
    await turn.getByRole("button", { name: "Details" }).click()
    const panel = v.page.getByRole("complementary", { name: "Details" })
    await panel.getByText("Timeline").waitFor()
    await panel.getByText("Shell").waitFor()
    await v.inspect("14-details")
    await v.page.keyboard.press("Control+.")
    await panel.waitFor({ state: "detached" })
  },

  "a conversation is renamed, pinned, found and deleted": async (v) => {
    const list = v.page.getByRole("navigation")
    const menu = async (item) => {
      await list.getByRole("link", { name: /say hello there|Renamed/ }).hover()
      await list.getByRole("button", { name: /^Actions for (say hello there|Renamed)/ }).click()
      await v.page.getByRole("menuitem", { name: item }).click()
    }
    await menu("Rename")
    await v.page.getByLabel("Title of the conversation").fill("Renamed by hand")
    await v.page.keyboard.press("Enter")
    await list.getByRole("link", { name: "Renamed by hand" }).waitFor()
    await menu("Pin")
    await list.getByRole("heading", { name: "Pinned" }).waitFor()
    await v.page.keyboard.press("Control+k")
    await v.page.keyboard.type("by hand")
    await list.getByRole("link", { name: "Renamed by hand" }).first().waitFor()
    await v.inspect("15-search")
    await v.page.keyboard.press("Escape")
  },

  "a token for scripts is made, shown once and revoked": async (v) => {
    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitem", { name: "Access tokens" }).click()
    const dialog = v.page.getByRole("dialog")
    await dialog.getByLabel("Name of the token").fill("backup script")
    await dialog.getByRole("button", { name: "Create token" }).click()
    await dialog.getByText("It will not be shown again").waitFor()
    await v.inspect("21-tokens")
    await dialog.getByRole("button", { name: "Revoke backup script" }).click()
    await dialog.getByRole("button", { name: "Revoke backup script" }).waitFor({ state: "detached" })
    await v.page.keyboard.press("Escape")
  },

  "a conversation is deleted after asking": async (v) => {
    const list = v.page.getByRole("navigation")
    await list.getByRole("link", { name: "Renamed by hand" }).hover()
    await list.getByRole("button", { name: /^Actions for Renamed/ }).click()
    await v.page.getByRole("menuitem", { name: "Delete" }).click()
    await v.page.getByRole("alertdialog").waitFor()
    await v.inspect("22-delete")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await list.getByRole("link", { name: "Renamed by hand" }).waitFor({ state: "detached" })
  },

  "signed out means out, and the password lets in again": async (v) => {
    const { user } = await v.api("/api/me")
    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitem", { name: "Sign out" }).click()
    await v.page.getByLabel("User name").waitFor()
    await v.inspect("23-sign-in")
    await v.page.getByLabel("User name").fill(user.name)
    await v.page.getByLabel("Password", { exact: true }).fill("not the password")
    await v.page.getByRole("button", { name: "Sign in" }).click()
    await v.page.getByRole("alert").waitFor()
    await v.page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await v.page.getByRole("button", { name: "Sign in" }).click()
    await v.ready()
  },

  "a killed server is said, waited for and resumed from": async (v, { kill, start }) => {
    if (!kill) return
    await v.page.goto(v.url)
    await v.ready()
    await v.begin("stream 150 60ms")
    await v.sees("w5", v.turn)
    await kill()
    await v.sees(/Connection lost/)
    await v.send("say written while it was away")
    await v.sees(/Not sent yet/)
    await v.shot("24-server-gone")
    await start()
    await v.sees("This step was started again after an interruption (attempt 2).")
    await v.shot("25-resumed")
    await v.sees("written while it was away", v.turn)
    await v.sees("Answered", v.turn)
    assert.equal(await v.timesAsked("stream 150 60ms"), 1)
    const asked = (await v.transcript()).filter((message) => message.role === "user").map((message) => message.content)
    assert.deepEqual(asked, ["stream 150 60ms", "say written while it was away"])
  },
}
