// What must work around commands, with any server: permission, background tasks, commands beside the conversation, files
// and runners. Each name is a claim; they come after those of flow.mjs.
import assert from "node:assert/strict"

import { hasValue } from "./lib/fields.mjs"
import { closeDialog, openSettings, section } from "./lib/settings.mjs"

/** Sets the rule of a tool by hand. */
const rule = async (v, tool, name) => {
  const dialog = await openSettings(v, "Permissions")
  if (await dialog.getByRole("group", { name: tool, exact: true }).getByRole("radio", { name }).isChecked()) return dialog
  const chosen = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().includes("/permissions/"))
  await dialog.getByRole("group", { name: tool, exact: true }).getByText(name, { exact: true }).click()
  assert.equal((await chosen).status(), 200)
  return dialog
}

const question = (v) => v.turn.getByRole("group", { name: "May Shell run?" })

/** A conversation of its own for each claim that needs one. */
const begin = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}

/** Asks something for which Shell needs permission, and waits for the question. */
const askFirst = async (v, command, end) => {
  await v.begin(`call Shell ${JSON.stringify({ command, reason: "to see what happens" })}\nsay ${end}`)
  await question(v).waitFor()
}

/** Makes Shell ask, for a claim that is to hold by itself. */
const askForShell = async (v) => {
  await begin(v)
  await rule(v, "Shell", "Ask")
  await closeDialog(v)
}

/** Chooses where commands run. */
const choose = async (v, dialog, label, name) => {
  const chosen = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/api/runners/active"))
  await dialog.getByRole("radio", { name: label }).click()
  await chosen
  assert.equal((await v.api("/api/runners")).active, name)
}

export const both = {
  "a tool that has to ask waits for the person, visibly, and runs when it is allowed by a key": async (v) => {
    await begin(v)
    const dialog = await rule(v, "Shell", "Ask")
    await dialog.getByRole("group", { name: "Shell", exact: true }).getByRole("radio", { name: "Ask" }).and(v.page.locator(":checked")).waitFor()
    await v.inspect("50-permissions")
    await closeDialog(v)
    await askFirst(v, "echo one && echo two > allowed.txt && cat allowed.txt", "it was allowed")
    await v.sees("Waiting for you: may Shell run?", v.turn)
    await question(v).getByText("cat allowed.txt").waitFor()
    await question(v).getByText("to see what happens").waitFor()
    await v.page.getByRole("navigation").getByText("waiting for you").first().waitFor({ state: "attached" })
    await v.inspect("51-question")
    await v.box.click()
    await v.page.keyboard.press("Escape")
    await v.page.waitForFunction(() => document.activeElement?.hasAttribute("data-approval"))
    await v.page.keyboard.press("a")
    await v.sees(/Allowed by/, v.turn)
    await v.sees("it was allowed", v.turn)
    await v.turn.getByRole("button", { name: /Shell/ }).click()
    await v.turn.getByRole("region", { name: "Output", exact: true }).getByText("two").waitFor()
    await v.inspect("52-allowed")
  },

  "where commands are refused an administrator runs them without a sandbox, in words that say what it means, and takes it back": async (v) => {
    const list = "**/api/runners"
    await v.page.route(list, async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      for (const runner of body.runners) runner.refused = runner.sandbox?.confine === "auto" // as on a machine that cannot confine them
      await route.fulfill({ response: answer, json: body })
    })
    await begin(v)
    const dialog = await openSettings(v, "Runners")
    await dialog.getByText("Commands are refused here, because this machine cannot confine them.").waitFor()
    await v.inspect("56-refused")
    await dialog.getByRole("button", { name: "Run commands without a sandbox" }).click()
    const question = v.page.getByRole("alertdialog")
    await question.getByText("They read, change and delete every file of that user, including xbot's own key and data", { exact: false }).waitFor()
    await question.getByRole("button", { name: "Cancel" }).click()
    assert.equal((await v.api("/api/runners")).runners.find((runner) => runner.sandbox).sandbox.confine, "auto", "nothing is chosen yet")
    await dialog.getByRole("button", { name: "Run commands without a sandbox" }).click()
    await question.getByRole("button", { name: "Run without a sandbox" }).click()
    await dialog.getByText("Commands run without a sandbox.", { exact: false }).waitFor()
    await dialog.getByText("Chosen by", { exact: false }).waitFor()
    await v.inspect("56-without-sandbox")
    await v.page.unroute(list)
    await dialog.getByRole("button", { name: "Use the sandbox again" }).click()
    await dialog.getByText("Commands run without a sandbox.", { exact: false }).waitFor({ state: "detached" })
    assert.equal((await v.api("/api/runners")).runners.find((runner) => runner.sandbox).sandbox.confine, "auto")
    await closeDialog(v)
  },
}

export const mock = {
  "a person changes a call before they allow it, and sees what they changed": async (v) => {
    await askForShell(v)
    await askFirst(v, "echo one > changed.txt", "it was changed")
    await question(v).getByRole("button", { name: "Edit" }).click()
    const editor = question(v).getByRole("form", { name: "Edited call" })
    const run = editor.getByRole("button", { name: "Run changed" })
    assert.equal(await run.getAttribute("aria-disabled"), "true")
    await editor.getByLabel("command").fill("")
    await editor.getByLabel("command").pressSequentially("echo added and dared")
    await editor.getByRole("group", { name: "Changes" }).getByText("+command: echo added and dared").waitFor()
    await v.inspect("52-editing")
    await v.page.keyboard.press("Escape")
    assert.equal(await editor.count(), 0, "nothing is allowed yet")
    await question(v).getByRole("button", { name: "Edit" }).click()
    await editor.getByLabel("command").fill("echo added and dared")
    await run.click()
    await v.sees(/Changed and allowed by/, v.turn)
    await v.sees("it was changed", v.turn)
    await v.turn.getByRole("button", { name: /Shell/ }).click()
    await v.turn.getByRole("group", { name: "Changes" }).getByText("-command: echo one > changed.txt").waitFor()
    await v.turn.getByRole("region", { name: "Output", exact: true }).getByText("added and dared").waitFor()
    await v.inspect("52-changed")
  },

  "several calls that wait are answered with one press": async (v) => {
    await begin(v)
    await rule(v, "Read", "Ask")
    await closeDialog(v)
    const reads = ["a.txt", "b.txt", "c.txt"].map((path) => `call Read ${JSON.stringify({ path })}`)
    await v.begin([...reads, "say they were answered"].join("\n"))
    await v.page.getByRole("button", { name: "Allow all (3)" }).click()
    await v.sees("they were answered", v.turn)
    await v.turn.getByText(/Allowed by/).nth(2).waitFor()
    await begin(v)
    await rule(v, "Read", "Allow")
    await closeDialog(v)
  },

  "a letter that is typed into a message answers no question": async (v) => {
    await askFirst(v, "echo typed", "nobody typed an answer")
    await v.write("ad hoc")
    assert.equal(await question(v).count(), 1)
    assert.match(await v.box.innerText(), /ad hoc/)
    await v.page.keyboard.press("Control+a")
    await v.page.keyboard.press("Backspace")
    await v.page.waitForFunction(() => !document.querySelector("#message")?.textContent?.includes("ad hoc"))
    await question(v).getByRole("button", { name: "Deny" }).click()
    await v.inspect("53-denying")
    await v.page.keyboard.type("not before noon")
    await v.page.keyboard.press("Enter")
    await v.sees(/Denied by/, v.turn)
    await v.sees(/not before noon/, v.turn)
    await v.turn.getByRole("button", { name: /Shell.*denied/ }).waitFor()
    await v.sees("nobody typed an answer", v.turn)
    await begin(v)
    await rule(v, "Shell", "Allow")
    await closeDialog(v)
  },

  "a file can begin a conversation": async (v) => {
    await begin(v)
    await v.write("say it came with")
    await v.page.getByLabel("Files to attach").setInputFiles({ name: "first.txt", mimeType: "text/plain", buffer: Buffer.from("first of all") })
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent.includes("uploads/first"))
    await v.page.keyboard.press("Enter")
    await v.page.waitForURL("**/c/**")
    await v.sees("Answered", v.turn)
    await v.turn.getByText(/^first(-\d+)?\.txt$/).waitFor()
    assert.match((await v.transcript()).find((message) => message.role === "user").content, /^say it came with\n\[file: first.*\.txt · 12 bytes · .*uploads\/first/)
  },

  "the settings speak Chinese at phone width in the dark": async (v) => {
    const choose = async (menu, language, theme) => {
      await v.page.getByRole("button", { name: menu }).click()
      await v.page.getByRole("menuitemradio", { name: language }).click()
      await v.page.getByRole("menuitemradio", { name: theme }).click()
      await v.page.keyboard.press("Escape")
    }
    await choose(/^Account and settings/, "中文", "深色")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.page.getByRole("button", { name: "显示对话列表" }).click()
    await v.page.getByRole("button", { name: /^账户与设置/ }).click()
    await v.page.getByRole("menuitem", { name: "设置" }).click()
    await v.page.getByRole("link", { name: "权限" }).click()
    await section(v).waitFor()
    await v.inspect("70-permissions-zh-phone")
    await v.page.getByRole("link", { name: "全部设置" }).click()
    await v.inspect("71-settings-zh-phone")
    await v.page.getByRole("link", { name: "运行器" }).click()
    await v.inspect("71-runners-zh-phone")
    await v.page.keyboard.press("Escape")
    await section(v).waitFor({ state: "detached" })
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await choose(/^账户与设置/, "English", "System")
  },
}

export const server = {
  "an administrator chooses what tools may do for whoever chose nothing": async (v) => {
    const choice = async () => (await openSettings(v, "Permissions")).getByRole("group", { name: "Default permission mode" })
    const others = async () => (await choice()).getByLabel("Other users and groups")
    await hasValue(await others(), "ask")
    await v.inspect("54-presets")
    for (const [label, value] of [["Read only", "read_only"], ["Ask", "ask"]]) {
      const saved = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/api/policy/presets"))
      await (await others()).selectOption({ label })
      assert.equal((await saved).status(), 200)
      await v.page.reload()
      await hasValue(await others(), value)
    }
    await closeDialog(v)
  },

  "everything of a turn is allowed at once, with a mark that stays until it is taken back": async (v) => {
    await askForShell(v)
    const calls = ["one", "two", "three"].map((word) => `call Shell ${JSON.stringify({ command: `echo ${word}`, reason: "to see" })}`)
    const pause = `call AskUser ${JSON.stringify({ questions: [{ question: "Shall it go on?", options: ["yes", "no"] }] })}` // as long as it takes
    await v.begin([...calls.slice(0, 2), pause, calls[2], "say all of it ran"].join("\n"))
    await question(v).waitFor()
    await v.page.getByRole("button", { name: "Allow everything in this turn" }).click()
    const mark = v.page.getByText("Everything is allowed in this turn", { exact: false })
    await mark.waitFor()
    await v.turn.getByRole("radio", { name: "yes" }).check()
    await v.inspect("52-allowed-turn")
    await v.page.getByRole("button", { name: "Ask again" }).click()
    await mark.waitFor({ state: "detached" })
    await v.turn.getByRole("button", { name: "Answer", exact: true }).click()
    await question(v).getByRole("button", { name: "Allow", exact: false }).first().click()
    await v.sees("all of it ran", v.turn)
    assert.equal(await v.page.getByRole("button", { name: "Ask again" }).count(), 0)
  },

  "a question survives a reload, and an answer that comes too late is told so": async (v) => {
    await askFirst(v, "echo twice", "it was answered once")
    await v.page.reload()
    await v.ready()
    await question(v).waitFor()
    await v.page.route("**/approvals/*", async (route) => {
      const headers = await v.headers()
      const first = await v.page.request.post(route.request().url(), { headers, data: { decision: "deny", note: "from another place" } })
      assert.equal(first.status(), 200)
      await route.continue()
    })
    await question(v).getByRole("button", { name: "Allow", exact: false }).first().click()
    await v.turn.getByRole("alert").waitFor()
    await v.sees(/from another place/, v.turn)
    await v.page.unroute("**/approvals/*")
    await v.inspect("54-too-late")
    await v.sees("it was answered once", v.turn)
  },

  "always allows such commands from then on, and its rule is seen and taken back": async (v) => {
    await begin(v)
    await rule(v, "Shell", "Ask")
    await closeDialog(v)
    await v.page.setViewportSize({ width: 390, height: 844 })
    await askFirst(v, "echo always", "no more questions")
    await v.inspect("55-question-phone")
    await question(v).getByRole("button", { name: "Always allow echo" }).click()
    await v.sees("Answered", v.turn) // the words of the answer stand in the message, too
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.ask('call Shell {"command":"echo unasked"}\nsay it just ran', "it just ran")
    await askFirst(v, "pwd && echo asked", "it was asked about")
    await question(v).getByRole("button", { name: "Always allow pwd" }).waitFor()
    await question(v).getByRole("button", { name: "Allow", exact: true }).click()
    await v.sees("it was asked about", v.turn)
    const dialog = await openSettings(v, "Permissions")
    const rules = dialog.getByRole("region", { name: "Rules for some calls" })
    await rules.getByRole("listitem").filter({ hasText: "echo" }).waitFor()
    await rules.getByLabel("Command begins with").fill("git; rm")
    await rules.getByRole("button", { name: "Add" }).click()
    await rules.getByRole("alert").filter({ hasText: "the beginning of one command" }).waitFor()
    await rules.getByLabel("Command begins with").fill("rm -rf")
    await rules.getByLabel("Rule", { exact: true }).selectOption({ label: "Deny" })
    await rules.getByRole("button", { name: "Add" }).click()
    await rules.getByRole("listitem").filter({ hasText: "Deny" }).filter({ hasText: "rm -rf" }).waitFor()
    await v.inspect("55-rules")
    await rules.getByRole("button", { name: "Remove the rule for Shell rm -rf" }).click()
    await rules.getByRole("button", { name: "Remove the rule for Shell echo" }).click()
    await rules.getByText("None yet.").waitFor()
    await dialog.getByRole("button", { name: "Follow the preset again: Shell" }).click()
    await dialog.getByRole("group", { name: "Shell", exact: true }).getByRole("radio", { name: "Allow" }).and(v.page.locator(":checked")).waitFor()
    await closeDialog(v)
  },

  "what an edit would change is seen before it is allowed": async (v) => {
    await begin(v)
    await v.ask('call Shell {"command":"printf \\"one\\\\ntwo\\\\nthree\\\\n\\" > diff.txt"}\nsay it is written', "it is written")
    await rule(v, "FileReplace", "Ask")
    await closeDialog(v)
    await v.begin('call FileReplace {"path":"diff.txt","old_string":"two","new_string":"2"}\nsay it is changed')
    const changes = v.turn.getByRole("group", { name: "May FileReplace run?" }).getByRole("group", { name: "Proposed changes" })
    await changes.getByText("-two").waitFor()
    await changes.getByText("+2").waitFor()
    await v.inspect("55-diff")
    await v.turn.getByRole("button", { name: "Allow", exact: true }).click()
    await v.sees("it is changed", v.turn)
    await rule(v, "FileReplace", "Allow")
    await closeDialog(v)
  },

  "a preset holds for all conversations, another one for this": async (v) => {
    await begin(v)
    const dialog = await openSettings(v, "Permissions")
    await dialog.getByRole("radio", { name: /^Ask/ }).first().click()
    await dialog.getByRole("group", { name: "Shell", exact: true }).getByRole("radio", { name: "Ask" }).and(v.page.locator(":checked")).waitFor()
    await closeDialog(v)
    await askFirst(v, "echo preset", "asked by the preset")
    await question(v).getByRole("button", { name: "Allow", exact: true }).click()
    await v.sees("asked by the preset", v.turn)
    await v.page.getByRole("button", { name: "Permission mode: As in all conversations" }).click()
    await v.page.getByRole("menuitemradio", { name: /^Read only/ }).waitFor()
    await v.shot("55-preset")
    await v.page.getByRole("menuitemradio", { name: /^Read only/ }).click()
    await v.page.getByRole("button", { name: "Permission mode: Read only" }).waitFor()
    await v.ask('call Shell {"command":"echo never > never.txt"}\nsay it was read only', "it was read only")
    await v.turn.getByRole("button", { name: /Shell.*failed/ }).waitFor()
    await v.page.reload()
    await v.ready()
    await v.page.getByRole("button", { name: "Permission mode: Read only" }).click()
    await v.page.getByRole("menuitemradio", { name: /^Auto/ }).click()
    await v.page.getByRole("button", { name: "Permission mode: Auto" }).waitFor()
    await v.ask('call Shell {"command":"echo auto"}\nsay nobody was asked', "nobody was asked")
    const again = await openSettings(v, "Permissions")
    await again.getByRole("radio", { name: /^As the installation/ }).click()
    await again.getByRole("group", { name: "Shell", exact: true }).getByRole("radio", { name: "Allow" }).and(v.page.locator(":checked")).waitFor()
    await closeDialog(v)
  },

  "a background task is watched, ends by itself, and its end is told quietly": async (v) => {
    await begin(v)
    const command = "rm -f end.txt; until [ -e end.txt ]; do i=$((i+1)); echo tick $i; sleep 1; done; echo the end"
    await v.ask(`call Shell ${JSON.stringify({ command, background: true })}\nsay it goes on`, "it goes on")
    await v.turn.getByText("Continues in the background as").waitFor()
    await v.page.getByRole("button", { name: /1 task in the background/ }).click()
    await v.inspect("56-tasks")
    await v.main.getByRole("button", { name: /^bg1/ }).click()
    const dialog = v.page.getByRole("dialog", { name: "Background task bg1" })
    await dialog.getByRole("region", { name: "Output so far" }).getByText(/tick \d/).waitFor()
    await v.inspect("57-task-running")
    await v.say("!touch end.txt")
    await dialog.getByRole("region", { name: "Output", exact: true }).getByText("the end").waitFor()
    await dialog.getByText(/exit code 0/).waitFor()
    const whole = await v.download(dialog.getByRole("link", { name: "Download the whole output" }))
    assert.match(whole, /^tick 1\ntick 2\n[^]*the end\n$/)
    await v.inspect("58-task-ended")
    await closeDialog(v)
    const end = v.page.getByRole("button", { name: /Background task bg1 ended/ })
    await end.click()
    await v.page.getByRole("article").filter({ has: end }).getByRole("region", { name: "Output", exact: true }).getByText("the end").waitFor()
    await v.inspect("59-task-told")
    assert.equal(await v.page.getByRole("button", { name: /in the background/ }).count(), 0)
  },

  "a background task is killed after asking": async (v) => {
    await v.ask('call Shell {"command":"echo begun; sleep 600","background":true}\nsay it sleeps', "it sleeps")
    await v.turn.getByRole("button", { name: "background task bg2" }).click()
    const dialog = v.page.getByRole("dialog", { name: "Background task bg2" })
    await dialog.getByRole("button", { name: "Kill" }).click()
    await v.page.getByRole("alertdialog").waitFor()
    await v.inspect("60-kill")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Kill" }).click()
    await dialog.getByText(/killed/).waitFor()
    await closeDialog(v)
    await v.page.getByRole("button", { name: /Background task bg2 ended.*killed/ }).waitFor()
  },

  "a bang command runs beside the conversation and reads like a terminal": async (v) => {
    await begin(v)
    await v.ask("say before the commands", "before the commands")
    await v.write("!echo from the shell; exit 3")
    await v.sees("The model does not see it.")
    await v.inspect("61-bang-typed")
    await v.page.keyboard.press("Enter")
    const command = v.page.getByRole("article", { name: "Command" }).last()
    await command.getByText("exit code 3").waitFor()
    await command.getByText("from the shell", { exact: true }).waitFor()
    await v.send("!seq 1 3000")
    const link = v.page.getByRole("link", { name: /whole output/ })
    await link.waitFor()
    await v.inspect("62-bang")
    const whole = await v.page.request.get(new URL(await link.getAttribute("href"), v.url).href)
    assert.match(await whole.text(), /\n3000\n$/)
    const asked = (await v.transcript()).filter((message) => message.origin === "command" && message.role === "user")
    assert.deepEqual(asked.map((message) => message.content), ["!echo from the shell; exit 3", "!seq 1 3000"])
  },

  "the commands of the server stand in the menu and are answered": async (v) => {
    await v.write("/ru")
    await v.page.getByRole("option", { name: /runner/ }).waitFor()
    await v.shot("63-menu")
    await v.page.keyboard.press("Tab")
    await v.page.keyboard.press("Enter")
    const command = v.page.getByRole("article", { name: "Command" }).last()
    await command.getByText("/runner").waitFor()
    await command.getByText(/local/).first().waitFor()
  },

  "files come in by button, paste and drop, and are named in the message": async (v) => {
    await v.page.getByLabel("Files to attach").setInputFiles([
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("from a button") },
      { name: "second one.txt", mimeType: "text/plain", buffer: Buffer.from("2") },
    ])
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent.includes("uploads/second one.txt]"))
    assert.match(await v.box.innerText(), /\[file: [^\]]*uploads\/notes\.txt\]/)
    await v.page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(["from the clipboard"], "pasted.txt"))
      document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent.includes("uploads/pasted.txt"))
    const drag = (type) =>
      v.page.evaluate((type) => {
        const data = new DataTransfer()
        data.items.add(new File(["from a folder"], "dropped.txt"))
        document.querySelector("#message").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
      }, type)
    await drag("dragenter")
    await v.sees("Drop files to upload them")
    await v.inspect("64-drop")
    await drag("drop")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent.includes("uploads/dropped.txt"))
    assert.equal(await v.main.getByText("Drop files to upload them").count(), 0)
    await v.inspect("65-attached")
    await v.clear()
  },

  "the files of the conversation are browsed, downloaded and passed on by a link": async (v) => {
    await v.page.keyboard.press("Control+.")
    const panel = v.page.getByRole("complementary", { name: "Details" })
    await panel.getByRole("button", { name: "uploads/" }).click()
    await panel.getByText("dropped.txt", { exact: true }).waitFor()
    await v.inspect("66-files")
    assert.equal(await v.download(panel.getByRole("link", { name: "Download notes.txt" })), "from a button")
    const made = v.page.waitForResponse((response) => response.url().endsWith("/links"))
    await panel.getByRole("button", { name: "Copy a link to dropped.txt" }).click()
    const { url } = await (await made).json()
    const stranger = await fetch(new URL(url, v.url))
    assert.equal(await stranger.text(), "from a folder")
    await v.page.getByText(/Link copied|\/files\//).first().waitFor()
    await panel.getByRole("button", { name: "To the folder above" }).click()
    await panel.getByRole("button", { name: "uploads/" }).waitFor()
    await v.page.keyboard.press("Control+.")
  },

  "a picture goes to the model with its message, is shown there, and opens": async (v) => {
    await v.write("say a fine picture")
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAIAAAA7ljmRAAAAEElEQVR4nGM4IScHRww4OQD1xwwxB+utmQAAAABJRU5ErkJggg==", "base64")
    await v.page.getByLabel("Files to attach").setInputFiles({ name: "red.png", mimeType: "image/png", buffer: png })
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent.includes("uploads/red.png"))
    await v.page.keyboard.press("Enter")
    const small = v.turn.getByRole("button", { name: "Show red.png" })
    await small.getByRole("img", { name: "red.png" }).waitFor()
    await v.sees("Answered", v.turn)
    await v.inspect("69-picture")
    await small.click()
    await v.page.getByRole("dialog", { name: "red.png" }).getByRole("img").waitFor()
    await v.page.keyboard.press("Escape")
    await v.page.getByRole("dialog").waitFor({ state: "detached" })
    await v.page.reload()
    await v.page.getByRole("button", { name: "Show red.png" }).getByRole("img").waitFor()
  },

  "a runner is made, its token shown once, and it is revoked after asking": async (v) => {
    const dialog = await openSettings(v, "Runners")
    await dialog.getByText("local", { exact: true }).first().waitFor()
    await v.inspect("67-runners")
    const name = dialog.getByLabel("Connect a machine")
    await name.fill("Not A Name")
    await dialog.getByRole("button", { name: "Create" }).click()
    await dialog.getByText(/Use small letters/).waitFor()
    await name.fill("build-box")
    await dialog.getByRole("button", { name: "Create" }).click()
    await dialog.getByText(/Copy the token of build-box now/).waitFor()
    await dialog.getByText(/xbot-runner --server/).waitFor()
    await v.inspect("68-runner-token")
    await dialog.getByRole("button", { name: "New token for build-box" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "New token" }).click()
    await v.page.getByRole("alertdialog").waitFor({ state: "detached" })
    await dialog.getByRole("button", { name: "Revoke build-box" }).click()
    await v.inspect("69-revoke")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
    await dialog.getByRole("button", { name: "Revoke build-box" }).waitFor({ state: "detached" })
    await closeDialog(v)
  },

  "where commands run is chosen": async (v) => {
    const dialog = await openSettings(v, "Runners")
    await choose(v, dialog, /^local/, "local")
    await choose(v, dialog, /^Default/, "")
    await closeDialog(v)
  },
}
