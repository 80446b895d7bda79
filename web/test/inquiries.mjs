// What a person sees of the model's questions (tool AskUser) and how they answer, with any server. Each name is a claim.
import assert from "node:assert/strict"

const form = (v) => v.turn.getByRole("form", { name: /for you/ })

const which = { question: "Which database?", options: [{ label: "Postgres", about: "It runs already." }, "SQLite"] }
const colours = { question: "Which colours?", options: ["red", "green", "blue"], multi_select: true, allow_other: true }
const name = { question: "What is it called?" }

/** Begins a conversation in which the model asks. */
const asked = async (v, end, ...questions) => {
  await v.page.goto(v.url)
  await v.ready()
  await v.begin(`call AskUser ${JSON.stringify({ questions })}\nsay ${end}`)
  await form(v).waitFor()
}

export const both = {
  "a question of the model is a form that waits, and its answers stand in the turn": async (v) => {
    await asked(v, "thank you", which, colours, name)
    await v.sees("Waiting for your answer", v.turn)
    const send = form(v).getByRole("button", { name: "Answer", exact: true })
    assert.equal(await send.getAttribute("aria-disabled"), "true")
    await v.inspect("60-inquiry")
    await v.box.click()
    await v.page.keyboard.press("Escape")
    await v.page.waitForFunction(() => document.activeElement?.hasAttribute("data-approval"))
    await form(v).getByRole("group", { name: "Which database?" }).getByRole("radio", { name: "SQLite" }).check()
    const several = form(v).getByRole("group", { name: "Which colours?" })
    await several.getByRole("checkbox", { name: "blue" }).check()
    await several.getByRole("checkbox", { name: "red" }).check()
    await several.getByRole("textbox").fill("and some mauve")
    await form(v).getByRole("group", { name: "What is it called?" }).getByRole("textbox").fill("The\nlast one")
    await v.page.keyboard.press("Control+Enter")
    await v.sees(/Answered by/, v.turn)
    await v.sees("thank you", v.turn)
    await v.turn.getByText("and some mauve").waitFor()
    assert.deepEqual(await v.turn.locator("dd").allInnerTexts(), ["SQLite", "red", "blue", "and some mauve", "The\nlast one"])
    await v.turn.getByRole("button", { name: /AskUser/ }).click()
    await v.turn.getByRole("region", { name: "Output", exact: true }).getByText("→ SQLite").waitFor()
    await v.inspect("61-inquiry-answered")
  },
}

export const server = {
  "an open question survives a reload, fits a phone, and can be declined": async (v) => {
    await v.page.setViewportSize({ width: 390, height: 844 })
    await asked(v, "as you wish", which)
    await v.page.reload()
    await v.ready()
    await form(v).getByRole("radio", { name: "Postgres" }).check()
    await v.inspect("62-inquiry-phone")
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await form(v).getByRole("button", { name: "Decline to answer" }).click()
    await v.sees(/declined to answer/, v.turn)
    await v.sees("as you wish", v.turn)
  },

  "a message that is written while a question is open is its answer": async (v) => {
    await asked(v, "taken from the message", which)
    await v.write("2")
    await v.page.keyboard.press("Enter")
    await v.sees("taken from the message")
    await v.sees("Answered: SQLite")
    await v.page.reload()
    await v.ready()
    await v.sees("Answered: SQLite")
    await v.page.locator("dd", { hasText: "SQLite" }).waitFor()
    assert.equal(await v.page.getByRole("form", { name: /for you/ }).count(), 0)
  },
}

/** The scripted server has a card; on a server cards are made in conversations on Feishu. */
export const mock = {
  "a card that waits in a chat is read and answered in words on the page": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.begin('call card_send {"card":"card_1","wait_response":true}\nsay booked')
    await form(v).waitFor()
    await form(v).getByText("Where to?").waitFor()
    await v.sees("Waiting for your answer", v.turn)
    assert.equal(await form(v).getByText("Button", { exact: true }).count(), 0, "one button alone is no question")
    const send = form(v).getByRole("button", { name: "Answer", exact: true })
    assert.equal(await send.getAttribute("aria-disabled"), "true")
    await form(v).getByRole("group", { name: "Place" }).getByRole("radio", { name: "Rice" }).check()
    await v.inspect("63-card")
    await send.click()
    await v.sees(/Answered by/, v.turn)
    await v.sees("booked", v.turn)
    assert.deepEqual(await v.turn.locator("dd").allInnerTexts(), ["Rice", "Go"])
    await v.page.reload()
    await v.ready()
    await v.sees("booked")
    assert.equal(await v.page.getByRole("form", { name: /for you/ }).count(), 0, "answered once")
  },
}
