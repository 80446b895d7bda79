// What must work on the page of triggers. Each name is a claim.
import { openSettings } from "./lib/settings.mjs"

const openTriggers = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  const dialog = await openSettings(v, "Triggers")
  await dialog.getByRole("button", { name: "Add a trigger" }).waitFor()
  return dialog
}

export const server = {
  "a trigger is made, its secret is shown once, and it is switched off, renewed and deleted": async (v) => {
    const dialog = await openTriggers(v)
    await dialog.getByRole("button", { name: "Add a trigger" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("This is needed.").first().waitFor()
    await dialog.getByRole("textbox", { name: "Name" }).fill("build")
    await dialog.getByRole("combobox", { name: "Who calls" }).selectOption("github")
    await v.inspect("trigger-form")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Secret of build. It is shown only once.").waitFor()
    const row = dialog.getByRole("listitem", { name: "build", exact: true })
    await row.getByText(/\/hooks\//).waitFor()
    await v.inspect("triggers")
    await row.getByRole("button", { name: "Switch off build" }).click()
    await row.getByText("off", { exact: true }).waitFor()
    await row.getByRole("button", { name: "New secret for build" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "New secret" }).click()
    await row.getByRole("button", { name: "Delete build" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await row.waitFor({ state: "detached" })
  },
}
