// What a person sees of plan mode and of the plans that the model proposes, with any server. Each name is a claim.
import assert from "node:assert/strict"

const form = (v) => v.turn.getByRole("form", { name: "A plan for you to approve" })
const step = (v, n) => form(v).getByRole("textbox", { name: `Step ${n}`, exact: true })
const propose = (...steps) => `call propose_plan ${JSON.stringify({ title: "The garden", steps, questions: ["Which bed first?"] })}`

/** Begins a conversation in plan mode. */
const planned = async (v, ...program) => {
  await v.page.goto(v.url)
  await v.ready()
  await v.page.getByRole("button", { name: /^Permission mode/ }).click()
  await v.page.getByRole("menuitemcheckbox", { name: /Plan first/ }).click()
  await v.page.keyboard.press("Escape")
  await v.page.getByRole("button", { name: /plan first$/ }).waitFor()
  await v.begin(program.join("\n"))
}

export const both = {
  "in plan mode nothing is changed before a plan is approved, whose steps can be edited with the keyboard alone": async (v) => {
    await planned(v, 'call Shell {"command":"echo too-early"}', propose("water the seeds", "thin the carrots", "rest"), "say the beds are done")
    await form(v).waitFor()
    await v.sees("The garden", v.turn)
    await v.sees("Which bed first?", v.turn)
    await v.inspect("210-plan")
    await v.page.setViewportSize({ width: 390, height: 844 })
    await v.inspect("211-plan-phone")
    await v.page.setViewportSize({ width: 1280, height: 860 })
    await v.page.reload()
    await v.ready()
    await v.box.click()
    await v.page.keyboard.press("Escape")
    await v.page.waitForFunction(() => document.activeElement?.hasAttribute("data-approval"))
    await step(v, 1).focus()
    await v.page.keyboard.press("Alt+ArrowDown")
    await v.page.keyboard.press("End")
    await v.page.keyboard.type(" twice")
    await v.page.keyboard.press("Enter")
    await v.page.keyboard.type("water the lawn")
    await v.page.keyboard.press("Enter")
    await v.page.keyboard.press("Backspace")
    await form(v).getByRole("button", { name: "Remove step 4" }).click()
    const here = v.page.url() // what is edited is still there after a look at something else, and after a reload
    await v.page.goto(v.url)
    await v.ready()
    await v.page.goto(here)
    await v.ready()
    await step(v, 3).waitFor()
    assert.deepEqual(await form(v).getByRole("textbox", { name: /^Step/ }).evaluateAll((boxes) => boxes.map(({ value }) => value)), ["thin the carrots", "water the seeds twice", "water the lawn"])
    await form(v).getByRole("button", { name: "Approve as edited" }).waitFor()
    await step(v, 3).focus()
    await v.page.keyboard.press("Control+Enter")
    await v.sees(/edited and approved by/, v.turn)
    await v.sees("the beds are done", v.turn)
    await v.turn.getByRole("button", { name: /^The garden .*steps done$/ }).click()
    const steps = v.turn.getByRole("list", { name: "Steps" })
    await steps.getByRole("listitem").nth(2).waitFor()
    assert.deepEqual(await steps.getByRole("listitem").allInnerTexts(), ["thin the carrots", "water the seeds twice", "water the lawn"])
    await v.sees("0 of 3 steps done", v.turn)
    await v.turn.getByRole("button", { name: /^Shell/ }).click()
    await v.sees(/wants to approve a plan first/, v.turn)
    await v.inspect("212-plan-approved")
    await v.ask('call todo_write {"todos":[{"id":"1","text":"thin the carrots","done":true},{"id":"2","text":"water the seeds twice"},{"id":"3","text":"water the lawn"}]}\nsay marked', "marked")
    await v.sees("1 of 3 steps done")
  },
}

export const server = {
  "a plan is sent back with a note, or with a message": async (v) => {
    await planned(v, propose("dig"), propose("dig deeper"), "say as you wish")
    await form(v).getByRole("textbox", { name: "A note (optional)" }).fill("deeper")
    await form(v).getByRole("button", { name: "Send back" }).click()
    await v.sees(/sent back by .*deeper/, v.turn)
    await step(v, 1).waitFor()
    await v.write("approve")
    await v.page.keyboard.press("Enter")
    await v.sees("as you wish")
    await v.sees("Plan approved.")
  },
}
