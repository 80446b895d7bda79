// What must work around messages that wait, models, new beginnings, search, commands, and what administrators set. Each
// name is a claim; they come after those of context.mjs.
import assert from "node:assert/strict"

import { closeDialog, openSettings, section } from "./lib/settings.mjs"

const begin = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}

const open = async (v, name) => {
  await v.page.goto(`${v.url}/c/agent:main:web:thread:${name}`)
  await v.ready()
  await v.page.getByRole("article").last().waitFor()
}

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

/** Takes the pictures of a state on a desk and on a phone. */
const inspectBoth = async (v, name) => {
  await v.inspect(name)
  await v.page.setViewportSize(phone)
  await v.shot(`${name}-phone`)
  await v.fits(`${name} on a phone`)
  await v.page.setViewportSize(desk)
}

const chooseMode = async (v, mode) => {
  await v.main.getByRole("button", { name: /^While a turn runs/ }).click()
  await v.page.getByRole("menuitemradio", { name: new RegExp(`^${mode}`) }).click()
  await v.main.getByRole("button", { name: `While a turn runs: ${mode}` }).waitFor()
}

/** A new conversation with one answer in it, whose messages wait as a mode says. */
const inMode = async (v, mode) => {
  await begin(v)
  await v.ask(`say ready to ${mode.toLowerCase()}`, `ready to ${mode.toLowerCase()}`)
  await chooseMode(v, mode)
}

/** Begins a turn that runs a command until the release that it returns, and then goes on. */
const beginHeld = async (v, next = "say the one before") => {
  const { command, release } = v.held()
  await v.begin(`call Shell ${JSON.stringify({ command })}\n${next}`)
  await v.turn.getByText("Running Shell").waitFor()
  return release
}

/** Puts a text in place of what stands in the editor of the policy. */
const writePolicy = async (v, dialog, text) => {
  await dialog.getByRole("textbox", { name: "Text of the policy" }).click()
  await v.page.keyboard.press("ControlOrMeta+a")
  await v.page.keyboard.insertText(text)
}

export const mock = {
  "the model and how much it thinks are chosen in the message box": async (v) => {
    await begin(v)
    await v.ask("say who answers", "who answers")
    await v.main.getByRole("button", { name: /^Model:/ }).click()
    const menu = v.page.getByRole("menu")
    await menu.getByRole("menuitemradio", { name: /^Default/ }).first().waitFor()
    await menu.getByRole("menuitemradio", { name: "High", exact: true }).click()
    await v.shot("109-models")
    await v.page.keyboard.press("Escape")
    await v.main.getByRole("button", { name: /^Model:/ }).getByText("High").waitFor()
    await v.inspect("110-chosen")
  },

  "commands are completed with their words, and directives stand out": async (v) => {
    await begin(v)
    await v.ask("say commands", "commands")
    await v.write("/")
    await v.page.getByRole("option", { name: /\/compact/ }).waitFor()
    await inspectBoth(v, "111-commands")
    await v.page.keyboard.type("queue ")
    await v.page.getByRole("option", { name: "collect" }).waitFor()
    await v.inspect("112-words")
    await v.page.keyboard.type("coll")
    await v.page.keyboard.press("Tab")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "/queue collect")
    await v.page.keyboard.press("Enter")
    await v.main.getByRole("button", { name: "While a turn runs: Collect" }).waitFor()
    await v.write("/think high why is that")
    await v.page.locator("#message .directive").getByText("/think high").waitFor()
    await v.inspect("113-directive")
    await v.clear()
  },

  "the arrows go on through what was sent, past commands": async (v) => {
    await begin(v)
    await v.ask("say before the commands", "before the commands")
    await v.send("/usage")
    await v.main.getByText("/usage", { exact: true }).waitFor()
    await v.send("/think low")
    await v.sees(/Thinking.*low/) // both are answered: what waits would be opened for a change
    const recalled = async (text) => {
      await v.page.keyboard.press("ArrowUp")
      await v.page.waitForFunction((text) => document.querySelector("#message")?.textContent === text, text)
    }
    await recalled("/think low")
    await recalled("/usage")
    await recalled("say before the commands")
    await v.clear()
  },

  "a group reads like a group: who said what, what was folded, what was kept back": async (v) => {
    await open(v, "group")
    await v.sees("4 messages said before")
    await v.sees("(chose not to answer)")
    await v.sees(/Not delivered/)
    await v.main.getByText(/^Feishu · group · Platform team · Operations$/).waitFor()
    await v.page.getByRole("button", { name: /messages said before/ }).click()
    await v.sees("the alert fired again at four")
    await inspectBoth(v, "121-group")
  },

  "an administrator deletes the conversation of a group, after a confirmation": async (v) => {
    const dialog = await openSettings(v, "People")
    const others = dialog.getByRole("region", { name: "Conversations of groups and of others" })
    const remove = others.getByRole("button", { name: "Delete the conversation Platform team" })
    await remove.click()
    const sure = v.page.getByRole("alertdialog", { name: "Delete Platform team?" })
    await sure.getByText(/This cannot be undone/).waitFor()
    await v.inspect("119-delete-group")
    await sure.getByRole("button", { name: "Cancel" }).click()
    await remove.click()
    await sure.getByRole("button", { name: "Delete for everyone" }).click()
    await remove.waitFor({ state: "detached" })
    assert.equal(await others.getByRole("listitem").count(), 1)
    await closeDialog(v)
  },

  "a conversation that began anew shows where and why": async (v) => {
    await open(v, "anew")
    await v.sees(/nobody had written here since 18:20/)
    assert.equal(await v.main.getByRole("group", { name: "New conversation" }).count(), 2)
    await inspectBoth(v, "122-anew")
  },

  "a new conversation is begun with an agent and a model": async (v) => {
    await begin(v)
    await v.main.getByText("Operations").click()
    await v.main.getByRole("button", { name: "Model: gpt-5" }).waitFor()
    await inspectBoth(v, "123-agents")
    await v.main.getByRole("button", { name: /^Model:/ }).click()
    await v.page.getByRole("menuitemradio", { name: /mock\/scripted/ }).last().click()
    await v.ask("say from operations", "from operations")
    await v.main.getByText("Operations", { exact: true }).waitFor()
    const session = await v.api(`/api/sessions/${encodeURIComponent(v.key)}`)
    assert.deepEqual([session.agent, session.model], ["ops", "mock/scripted"])
  },

  "somebody who waits is let in, and shut out again": async (v) => {
    await begin(v)
    const dialog = await openSettings(v, "People")
    await dialog.getByRole("button", { name: "Approve Lin" }).click()
    await dialog.getByRole("button", { name: "Revoke access of Lin" }).waitFor()
    await dialog.getByRole("button", { name: "Reject 288104" }).click()
    await dialog.getByText("No pending requests.").waitFor()
    await dialog.getByRole("button", { name: "Revoke access of Lin" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Revoke access" }).click()
    await dialog.getByRole("button", { name: "Revoke access of Lin" }).waitFor({ state: "detached" })
    await closeDialog(v)
  },

  "all of it speaks Chinese": async (v) => {
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await open(v, "group")
    await v.sees(/此前的 4 条消息/)
    await v.inspect("124-group-zh")
    await open(v, "anew")
    await v.sees("模型看不到以上内容")
    await v.write("/")
    await v.page.getByRole("option", { name: /开始新对话/ }).waitFor()
    await v.inspect("125-commands-zh")
    await v.clear()
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.page.reload()
    await v.ready()
  },

  "the account of a linked person goes to other ids only if that is confirmed": async (v) => {
    await begin(v)
    const dialog = await openSettings(v, "Policy")
    await writePolicy(v, dialog, '{ "session": { "identityLinks": { "mara": ["telegram:2002"] } } }')
    const transfers = dialog.getByRole("region", { name: "Accounts to transfer" })
    await transfers.getByText("telegram:1001 used it until now and loses access.").waitFor()
    const save = dialog.getByRole("button", { name: "Save" })
    assert.equal(await save.getAttribute("aria-disabled"), "true")
    await inspectBoth(v, "128-policy-transfer")
    await transfers.getByRole("checkbox").check()
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    await save.click()
    await v.page.getByText("The policy is in force.").first().waitFor()
    await dialog.getByRole("button", { name: "History" }).click()
    await dialog.getByText("transferred: mara").first().waitFor()

    await dialog.getByRole("button", { name: "Linked users" }).click()
    await dialog.getByRole("button", { name: "Unlink mara" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Unlink" }).click()
    await dialog.getByRole("button", { name: "Unlink mara" }).waitFor({ state: "detached" })
    assert.deepEqual((await v.api("/api/policy/links")).links, [])
    await writePolicy(v, dialog, "{}")
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    await save.click()
    await dialog.getByRole("status").filter({ hasText: /^Version/ }).waitFor()
    await closeDialog(v)
  },
}

export const server = {
  "waiting messages show their place, are changed by keyboard and taken back": async (v) => {
    await inMode(v, "Follow up")
    const release = await beginHeld(v)
    await v.send("say the first that waits")
    await v.sees("Number 1 in the queue")
    await v.send("say the second that waits")
    await v.sees("Number 2 in the queue")
    await v.page.keyboard.press("ArrowUp")
    const editor = v.main.getByRole("textbox", { name: "Change the message" })
    await editor.waitFor()
    await v.shot("100-queue-edit")
    await editor.fill("say the changed one")
    await v.page.keyboard.press("Enter")
    await editor.waitFor({ state: "detached" })
    await v.main.getByText("say the changed one").waitFor()
    const waiting = v.main.getByRole("group", { name: "Waiting message" }).filter({ hasText: "the first that waits" })
    await waiting.hover()
    await inspectBoth(v, "101-queue")
    await waiting.getByRole("button", { name: "Take the message back" }).focus()
    await v.page.keyboard.press("Enter")
    await v.sees("Taken back before it was answered.")
    await v.shot("102-recalled")
    await v.main.getByRole("button", { name: "Discard" }).click()
    await release()
    const turn = v.main.getByRole("article").filter({ hasText: "say the changed one" })
    await v.sees("Answered", turn)
    const asked = (await v.transcript()).filter((message) => message.role === "user" && !message.origin).map((message) => message.content)
    assert.match(asked.at(-2), /^call Shell/)
    assert.equal(asked.at(-1), "say the changed one")
  },

  "a message steers the running turn, and the calls it skips say so": async (v) => {
    await inMode(v, "Steer")
    const release = await beginHeld(v, 'call Shell {"command":"echo not needed"}\nsay not this')
    const turn = await v.thisTurn()
    await v.send("say changed course")
    await v.sees("Reaches the running turn")
    await release()
    await v.sees("Added to the running turn", turn)
    await v.sees("changed course", turn)
    await turn.getByRole("button", { name: /Shell.*skipped for your message/ }).waitFor()
    await v.sees("Answered", turn)
    assert.equal(await v.main.getByRole("article").and(v.page.locator(":not([aria-label=Command])")).count(), 2)
    await inspectBoth(v, "103-steered")
  },

  "a newer message supersedes one that waits, which stays readable": async (v) => {
    await inMode(v, "Supersede")
    const release = await beginHeld(v)
    await v.send("say the older one")
    await v.sees("Number 1")
    await v.send("say the newer one")
    await v.sees(/a newer message took its place/)
    await release()
    await v.sees("Superseded by the next message", v.turn)
    await v.sees("the newer one", v.turn)
    await v.sees("Answered", v.turn)
    await v.inspect("104-superseded")
  },

  "a burst is collected and answered once": async (v) => {
    await inMode(v, "Collect")
    const release = await beginHeld(v)
    await v.send("one half")
    await v.send("say both halves")
    await v.sees(/^Number 2; answered together/)
    await release()
    await v.sees("2 messages, answered together", v.turn)
    await v.sees("Answered", v.turn)
    await v.inspect("105-burst")
  },

  "an interrupting message stops the turn and comes next": async (v) => {
    await inMode(v, "Interrupt")
    await v.begin("stream 300 60ms")
    await v.sees("w3", v.turn)
    await v.send("say instead of all that")
    await v.sees("instead of all that", v.turn)
    await v.sees("Answered", v.turn)
    await v.sees("Stopped", v.main)
  },

  "/new begins anew below a line, and what was before is found by its words": async (v) => {
    await begin(v)
    await v.ask("say the quick brown heron", "the quick brown heron")
    await v.send("/new")
    await v.main.getByRole("group", { name: "New conversation" }).waitFor()
    await v.sees("The model does not see the messages above")
    await v.ask("say after the line", "after the line")
    await inspectBoth(v, "106-reset")
    await v.page.keyboard.press("Control+k")
    await v.page.keyboard.type("brown heron")
    const hits = v.page.getByRole("region", { name: "Messages" })
    await hits.getByRole("link").first().waitFor()
    await v.inspect("107-search")
    await hits.getByRole("link").first().click()
    await v.page.locator(".found").waitFor()
    await v.page.waitForURL((url) => url.search === "")
    await v.shot("108-found")
    await v.page.getByRole("searchbox", { name: "Search" }).fill("")
  },

  "an unknown command is answered with the nearest one": async (v) => {
    await begin(v)
    await v.ask("say typo", "typo")
    await v.send("/comapct")
    await v.sees(/\/compact/)
    await v.shot("114-unknown")
  },

  "the policy is checked as one types, and saved": async (v) => {
    await begin(v)
    const dialog = await openSettings(v, "Policy")
    const text = dialog.getByRole("textbox", { name: "Text of the policy" })
    await text.waitFor()
    await v.inspect("115-policy")
    await writePolicy(v, dialog, '{\n  // every morning\n  "session": { "reset": { "mode": "dialy" } },\n}')
    const fault = dialog.getByRole("button", { name: /mode/ })
    await fault.waitFor()
    await v.page.locator(".json-fault").first().waitFor()
    await v.inspect("116-policy-fault")
    await fault.click()
    await v.page.keyboard.insertText('"mode"')
    await writePolicy(v, dialog, '{\n  "session": { "reset": { "mode": "daily", "atHour": 4 } },\n}')
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("The policy is in force.").first().waitFor()
    await dialog.getByRole("status").filter({ hasText: /^Version \d+$/ }).waitFor()
  },

  "who changed the policy and how is told, and an older version brought back": async (v) => {
    const dialog = section(v)
    const save = async (text) => {
      await writePolicy(v, dialog, text)
      await dialog.getByText("Nothing is wrong with it.").waitFor()
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.getByRole("status").filter({ hasText: /^Version/ }).waitFor()
      return (await v.api("/api/policy")).version
    }
    const older = await save('{ "session": { "reset": { "mode": "idle", "idleMinutes": 90 } }, "limits": { "turns": 40 } }')
    const newer = await save('{ "session": { "reset": { "mode": "idle", "idleMinutes": 45 } }, "limits": { "turns": 40 } }')
    await dialog.getByRole("button", { name: "History" }).click()
    await dialog.getByRole("button", { name: new RegExp(`^Version ${newer} .*in force`) }).click()
    const change = dialog.getByRole("region", { name: `Changes in version ${newer}` })
    assert.match(await change.getByRole("deletion").innerText(), /"idleMinutes": 90/)
    assert.match(await change.getByRole("insertion").innerText(), /"idleMinutes": 45/)
    assert.equal(await dialog.getByRole("button", { name: "Go back to this version" }).count(), 0)
    await dialog.getByRole("button", { name: new RegExp(`^Version ${older} `) }).click()
    await dialog.getByRole("button", { name: "Go back to this version" }).scrollIntoViewIfNeeded()
    await inspectBoth(v, "127-policy-history")
    await dialog.getByRole("button", { name: "Go back to this version" }).click()
    await v.page.getByText(`Version ${older} is in the editor. Save to apply it.`).first().waitFor()
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    assert.equal((await v.api("/api/policy")).version, newer, "it is in force only once it was saved")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("status").filter({ hasText: /^Version/ }).waitFor()
    const back = await v.api("/api/policy")
    assert.match(back.text, /"idleMinutes": 90/)
    assert.ok(back.version > newer)
    await dialog.getByRole("button", { name: new RegExp(`^Version ${back.version} .*in force`) }).waitFor()
  },

  "a policy that somebody else changed meanwhile is not written over unseen": async (v) => {
    const dialog = section(v)
    const { version } = await v.api("/api/policy")
    const headers = await v.headers()
    const other = await v.page.request.put(`${v.url}/api/policy`, { headers, data: { version, text: '{ "limits": { "turns": 32 } }' } })
    assert.equal(other.status(), 200)
    await writePolicy(v, dialog, '{ "limits": { "turns": 16 } }')
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText(/Someone else saved version/).waitFor()
    await v.inspect("117-policy-conflict")
    await dialog.getByRole("button", { name: "Keep mine and save over theirs" }).click()
    await dialog.getByText(/Someone else saved version/).waitFor({ state: "detached" })
    assert.match((await v.api("/api/policy")).text, /16/)
    await writePolicy(v, dialog, "{}")
    await dialog.getByText("Nothing is wrong with it.").waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("The policy is in force.").first().waitFor()
    await closeDialog(v)
  },

  "limits, identities and people have their pages": async (v) => {
    const dialog = await openSettings(v, "Limits")
    await dialog.getByText("Turns that run").waitFor()
    await v.inspect("118-limits")
    const form = dialog.getByRole("form", { name: "Limits" })
    await form.getByLabel("Runners per user").fill("7")
    await form.getByLabel("Turns at once").fill("-1")
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByText("limits.turns: -1 is not between 1 and 10000").waitFor()
    await v.inspect("118-limits-bad")
    await form.getByLabel("Turns at once").fill("")
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
    const { limits } = await v.api("/api/limits")
    assert.deepEqual([limits.turns, limits.person_runners], [64, 7])
    await v.page.getByRole("link", { name: "People", exact: true }).click()
    await dialog.getByRole("region", { name: "Pending requests" }).waitFor()
    await v.inspect("119-people")
    await v.page.getByRole("link", { name: "You", exact: true }).click()
    await dialog.getByRole("button", { name: "Make a code" }).click()
    await dialog.getByText(/^\/link \S+$/).waitFor()
    await v.inspect("120-identities")
    await closeDialog(v)
  },
}
