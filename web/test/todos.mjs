// What must be seen of to-do lists. Each name is a claim.
import assert from "node:assert/strict"

export const mock = {
  "what is left to do stands in the details, also that of other conversations": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask('call todo_write {"todos":[{"id":"1","text":"water the seeds","done":true},{"id":"2","text":"thin the carrots","done":false}]}\nsay planned the beds', "planned the beds")
    await v.page.getByRole("button", { name: "Details", exact: true }).last().click()
    const panel = v.page.getByRole("complementary", { name: "Details" })
    await panel.getByRole("region", { name: "To-do list" }).getByText("thin the carrots").waitFor()
    await v.page.keyboard.press("Control+.")
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("say something else", "something else")
    await v.page.getByRole("button", { name: "Details", exact: true }).last().click()
    const elsewhere = panel.getByRole("region", { name: "To do in other conversations" })
    await elsewhere.getByText("thin the carrots", { exact: true }).first().waitFor()
    assert.equal(await elsewhere.getByText("water the seeds", { exact: true }).count(), 0)
    await elsewhere.scrollIntoViewIfNeeded()
    await v.inspect("190-todos-elsewhere")
    await elsewhere.getByRole("listitem").filter({ has: v.page.getByText("thin the carrots", { exact: true }) }).getByRole("link").first().click()
    await v.sees("planned the beds")
    await v.page.keyboard.press("Control+.")
  },
}
