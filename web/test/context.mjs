// What must work around the context of a conversation: how full it is, what was compacted and offloaded, going back and
// copying, what it costs. Each name is a claim; they come after those of flow.mjs.
import assert from "node:assert/strict"

import { closeDialog } from "./lib/settings.mjs"

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

const ring = (v) => v.main.getByRole("button", { name: /^Context: / })
const panel = (v) => v.page.getByRole("complementary", { name: "Context" })

const openPanel = async (v) => {
  if ((await panel(v).count()) === 0) await ring(v).click()
  await panel(v).getByRole("heading", { name: "Context", exact: true }).waitFor()
}

/** What needs the scripted server of the page: a model that writes summaries, and conversations that are long already. */
export const mock = {
  "the mode of a conversation is chosen and kept": async (v) => {
    await begin(v)
    await v.ask("say choose a mode", "choose a mode")
    await openPanel(v)
    const chosen = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/context"))
    await panel(v).getByRole("radio", { name: /^Change nothing/ }).click()
    assert.equal((await chosen).status(), 200)
    await v.page.reload()
    await v.ready()
    await openPanel(v)
    await panel(v).getByRole("radio", { name: /^Change nothing/ }).and(v.page.locator(":checked")).waitFor()
    await panel(v).getByRole("radio", { name: /^Reduce automatically/ }).click()
    await panel(v).getByRole("button", { name: "Close", exact: true }).click()
  },

  "the commands of the server are completed with their help, in both languages": async (v) => {
    await v.write("/comp")
    await v.page.getByRole("option", { name: /compact/ }).waitFor()
    await v.inspect("89-commands")
    await v.page.keyboard.press("Tab")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "/compact ")
    await v.clear()
    await v.write("/comp")
    await v.page.getByRole("option", { name: /compact/ }).waitFor()
    assert.equal(await v.page.evaluate(takesAndSelects), "/compact ", "the caret was moved behind the person's back")
    await v.page.keyboard.press("End")
    await v.page.keyboard.insertText("now")
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "/compact now")
    await v.clear()
    await v.write("/context")
    await v.page.getByRole("option", { name: /context/ }).waitFor()
    await v.page.keyboard.press("Enter")
    await v.page.getByRole("article", { name: "Command" }).last().getByText(/tokens/).first().waitFor()
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await v.page.reload()
    await v.ready()
    await v.write("/rew")
    await v.page.getByRole("option").getByText(/[\u4e00-\u9fff]/).waitFor()
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.clear()
    await v.page.reload()
    await v.ready()
  },

  "a compression is said while it goes on, and is a quiet line that opens to the summary afterwards": async (v) => {
    await begin(v)
    await v.ask("say something to summarize", "something to summarize")
    await v.begin("compress\nsay after the compression")
    await v.sees(/Compressing the context/, v.turn)
    await v.shot("90-compressing")
    await v.sees("after the compression", v.turn)
    await v.sees("Answered", v.turn)
    const line = v.turn.getByRole("button", { name: /Context compacted · 12 k → 900 tokens/ })
    await line.click()
    await v.turn.getByText("the window was getting full").waitFor()
    await v.turn.getByRole("region", { name: "Summary" }).getByText("say something to summarize").waitFor()
    await v.inspect("91-compacted")
    await v.page.reload()
    await v.ready()
    await line.waitFor()
  },

  "a compression is asked for with a focus and takes its place": async (v) => {
    await openPanel(v)
    await panel(v).getByLabel("Focus (optional)").fill("the ids")
    await panel(v).getByRole("button", { name: "Compact now" }).click()
    await panel(v).getByText(/Queued behind/).waitFor()
    const command = v.page.getByRole("article", { name: "Command" }).last()
    await command.getByText(/Compressing the context/).waitFor()
    await v.main.getByRole("button", { name: /Context compacted · / }).last().waitFor()
    await command.getByText(/Compressing the context/).waitFor({ state: "detached" })
    await panel(v).getByText(/with a focus on the ids/).waitFor()
    await v.inspect("92-compact-asked")
    await panel(v).getByRole("button", { name: "Close", exact: true }).click()
  },

  "a long conversation shows how tight it is, at any width, in the dark and in Chinese": async (v) => {
    await open(v, "long")
    await v.main.locator('button[data-level="tight"]').waitFor()
    await openPanel(v)
    for (const words of ["14 old results are hidden", "1 file has changed", "2 edits by the model", "1 large result"]) await panel(v).getByText(new RegExp(words)).waitFor()
    await v.inspect("93-tight")
    await panel(v).getByRole("button", { name: "Close", exact: true }).click()
    await v.page.setViewportSize(phone)
    await ring(v).click()
    await v.page.getByRole("dialog", { name: "Context" }).getByText("Results of tools").waitFor()
    await v.inspect("94-tight-phone")
    await v.page.keyboard.press("Escape")
    await v.page.getByRole("button", { name: /^Read/ }).first().click()
    await v.page.getByRole("button", { name: /^Show all \(\d+ kB\)/ }).click()
    await v.page.getByRole("region", { name: "Output", exact: true }).getByText("000001").waitFor()
    await v.inspect("95-whole-phone")
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await v.page.reload()
    await v.ready()
    await v.main.getByRole("button", { name: /^上下文：/ }).click()
    await v.inspect("96-tight-zh-phone")
    await v.page.keyboard.press("Escape")
    await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await v.page.setViewportSize(desk)
    await v.page.reload()
    await v.ready()
  },

  "a whole result of three megabytes is there in a moment": async (v) => {
    await open(v, "long")
    await v.page.getByRole("button", { name: /^Read/ }).first().click()
    await v.page.getByRole("button", { name: /^Show all/ }).click()
    const whole = v.page.getByRole("region", { name: "Output", exact: true })
    await whole.getByText("000001").waitFor()
    const slowest = await whole.evaluate(async (box) => {
      let worst = 0
      for (let n = 0; n <= 20; n++) {
        const start = performance.now()
        box.scrollTo(0, (box.scrollHeight * n) / 20)
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
        worst = Math.max(worst, performance.now() - start)
      }
      return worst
    })
    assert.ok(slowest < 1000, `a jump took ${slowest} ms`)
    await whole.getByText("060000").waitFor()
  },
}

export const server = {
  "the context fills with the conversation, and the panel says by what": async (v) => {
    await begin(v)
    await v.ask("say the first answer", "the first answer")
    await ring(v).waitFor()
    await v.page.waitForFunction(() => !/Context: 0 of/.test(document.querySelector('button[aria-label^="Context: "]')?.ariaLabel ?? "Context: 0 of"))
    await openPanel(v)
    await panel(v).getByText("System prompt", { exact: true }).waitFor()
    await panel(v).getByText(/^\d[\d.]*(\sk)? of \d+\s[kM] tokens$/).waitFor()
    await panel(v).getByText("Nothing was compacted yet.").waitFor()
    await v.inspect("80-context")
    await panel(v).getByRole("button", { name: "Close", exact: true }).click()
    await panel(v).waitFor({ state: "detached" })
  },

  "what the model saw is shown in order, step by step": async (v) => {
    await v.ask('call Shell {"command":"echo seen by the model"}\nsay I have read it', "I have read it")
    await openPanel(v)
    await panel(v).getByRole("button", { name: "Model request" }).click()
    const dialog = v.page.getByRole("dialog", { name: "Model request" })
    await dialog.getByText(/Exactly this was sent|Reconstructed/).waitFor()
    await dialog.getByRole("button", { name: /^Result.*seen by the model/ }).click()
    await dialog.getByRole("region", { name: "Result" }).getByText("seen by the model").waitFor()
    await v.inspect("81-request")
    await dialog.getByRole("button", { name: "Previous call" }).click()
    await dialog.getByText(/Model call 2 of 3/).waitFor()
    await dialog.getByRole("button", { name: /^Result/ }).waitFor({ state: "detached" })
    await dialog.getByRole("button", { name: /^System prompt/ }).click()
    await dialog.getByRole("region", { name: "System prompt" }).waitFor()
    await closeDialog(v)
    await panel(v).getByRole("button", { name: "Close", exact: true }).click()
  },

  "a large result is a summary first, then the whole of it without freezing the page": async (v) => {
    await begin(v)
    await v.ask('call Shell {"command":"seq -f \\"line %06g of a large output\\" 1 800"}\nsay it was large', "it was large")
    await v.turn.getByRole("button", { name: /Shell/ }).click()
    await v.turn.getByText("Too large for the conversation").waitFor()
    await v.inspect("82-offloaded")
    const start = performance.now()
    await v.turn.getByRole("button", { name: /^Show all/ }).click()
    const whole = v.turn.getByRole("region", { name: "Output", exact: true })
    await whole.getByText("line 000001 of").waitFor()
    assert.ok(performance.now() - start < 10_000, "the whole result took too long")
    assert.ok((await v.page.evaluate(() => document.querySelectorAll("*").length)) < 5000, "only rows in view are drawn")
    await whole.evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await whole.getByText("line 000800 of").waitFor()
    await v.inspect("83-whole")
    const text = await v.download(v.turn.getByRole("link", { name: "Download" }))
    assert.equal(text.split("\n").filter((line) => /^line \d{6} of a large output$/.test(line)).length, 800)
    await v.turn.getByRole("button", { name: "Show the summary" }).click()
    await v.turn.getByRole("region", { name: "Summary of the output" }).waitFor()
  },

  "a rewind takes messages out in every open page, and the words return to the box": async (v) => {
    await begin(v)
    await v.ask("say stays", "stays")
    await v.ask("say goes", "goes")
    await v.ask("say goes too", "goes too")
    const other = await v.page.context().newPage()
    await other.goto(v.page.url())
    await other.getByRole("article").filter({ hasText: "goes too" }).first().waitFor()
    const asked = v.page.getByRole("article").filter({ hasText: "say goes" }).first()
    await asked.hover()
    await asked.getByRole("button", { name: "Rewind to here" }).click()
    await v.page.getByRole("alertdialog").getByText(/not undone/).waitFor()
    await v.inspect("84-rewind")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Rewind" }).click()
    for (const page of [v.page, other]) await page.getByRole("main").getByText("say goes too", { exact: true }).waitFor({ state: "detached" })
    await v.page.waitForFunction(() => document.querySelector("#message")?.textContent === "say goes")
    await v.page.getByRole("article", { name: "Command" }).getByText(/Files/).waitFor()
    await v.inspect("85-rewound")
    await other.close()
    await v.page.reload()
    await v.ready()
    await v.sees("stays")
    assert.equal(await v.main.getByText("say goes too", { exact: true }).count(), 0)
    const kept = (await v.transcript()).filter((message) => message.role === "user" && !message.origin)
    assert.deepEqual(kept.map((message) => message.content), ["say stays"])
    await v.clear()
    await v.ask("say after the rewind", "after the rewind")
  },

  "a message is edited and asked again, and the versions are switched in every open page": async (v) => {
    await begin(v)
    await v.ask("say before", "before")
    await v.ask("say first", "first")
    const other = await v.page.context().newPage()
    await other.goto(v.page.url())
    const answers = (page, text) => page.getByRole("main").getByText(text, { exact: true })
    await answers(other, "first").waitFor()
    const turn = () => v.page.getByRole("article").nth(1)

    await turn().hover()
    await turn().getByRole("button", { name: "Edit message" }).click()
    const box = v.page.getByRole("textbox", { name: "Edit message" })
    await box.and(v.page.locator(":focus")).waitFor()
    assert.equal(await box.inputValue(), "say first")
    await v.inspect("87-edit")
    await v.page.keyboard.press("Escape")
    await turn().getByRole("button", { name: "Edit message" }).and(v.page.locator(":focus")).waitFor()
    await v.page.keyboard.press("Enter")
    await box.fill("say second")
    await v.page.keyboard.press("Enter")
    for (const page of [v.page, other]) await answers(page, "second").waitFor()
    for (const page of [v.page, other]) await answers(page, "first").waitFor({ state: "detached" })
    await turn().getByText("2 / 2", { exact: true }).waitFor()

    await turn().getByRole("button", { name: "Try again" }).click()
    await turn().getByText("3 / 3", { exact: true }).waitFor()
    await turn().getByText("second", { exact: true }).waitFor()
    await turn().getByRole("button", { name: "Try again" }).waitFor()
    await turn().getByRole("button", { name: "Previous version" }).click()
    await turn().getByText("2 / 3", { exact: true }).waitFor()
    await turn().getByRole("button", { name: "Previous version" }).and(v.page.locator(":focus")).waitFor()
    await v.page.keyboard.press("Enter")
    await turn().getByText("1 / 3", { exact: true }).waitFor()
    await turn().getByRole("button", { name: "Next version" }).and(v.page.locator(":focus")).waitFor()
    for (const page of [v.page, other]) await answers(page, "first").waitFor()
    await v.inspect("88-versions")
    await v.page.setViewportSize(phone)
    await v.inspect("89-versions-phone")
    await v.page.setViewportSize(desk)
    await other.close()
    await v.page.reload()
    await v.ready()
    await turn().getByText("1 / 3", { exact: true }).waitFor()
    await v.ask("say after the first", "after the first")
    const kept = (await v.transcript()).filter((message) => message.role === "user" && !message.origin)
    assert.deepEqual(kept.map((message) => message.content), ["say before", "say first", "say after the first"])
  },

  "a conversation is copied up to an answer, and the copy says where it came from": async (v) => {
    await begin(v)
    await v.ask("say common ground", "common ground")
    await v.ask("say only in the original", "only in the original")
    const original = v.key
    await v.page.getByRole("article").first().getByRole("button", { name: "Fork from here" }).click()
    await v.page.waitForURL((url) => !decodeURIComponent(url.pathname).endsWith(original))
    await v.ready()
    await v.sees("Forked from")
    await v.sees("common ground")
    assert.equal(await v.main.getByText("only in the original").count(), 0)
    await v.ask("say only in the copy", "only in the copy")
    await v.inspect("86-fork")
    await v.main.getByRole("link", { name: /say common ground/ }).click()
    await v.sees("only in the original")
    assert.equal(v.key, original)
    assert.equal(await v.main.getByText("only in the copy").count(), 0)
  },

  "usage is shown by day, model and conversation": async (v) => {
    await v.page.getByRole("button", { name: /^Account and settings/ }).click()
    await v.page.getByRole("menuitem", { name: "Usage" }).click()
    const dialog = v.page.getByRole("dialog", { name: "Usage" })
    await dialog.getByRole("tab", { name: "By day" }).waitFor()
    await v.inspect("87-usage")
    await dialog.getByRole("tab", { name: "By model" }).click()
    await dialog.getByRole("tabpanel", { name: "By model" }).getByText(/scripted/).first().waitFor()
    await dialog.getByRole("tab", { name: "By conversation" }).click()
    await dialog.getByRole("link", { name: /common ground/ }).first().waitFor()
    await dialog.getByText("7 days").click()
    await dialog.getByRole("radio", { name: "7 days" }).and(v.page.locator(":checked")).waitFor({ state: "attached" })
    await v.inspect("88-usage-sessions")
    await closeDialog(v)
  },
}

/** In the page: takes the command that is offered and selects all at once; tells what is selected two pictures later. */
async function takesAndSelects() {
  const box = document.querySelector("#message")
  box.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true }))
  await Promise.resolve() // the page draws
  getSelection().selectAllChildren(box)
  for (let n = 0; n < 2; n++) await new Promise((drawn) => requestAnimationFrame(drawn))
  return getSelection().toString()
}
