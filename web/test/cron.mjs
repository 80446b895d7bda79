// What must work on the page of schedules. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const inspectBoth = async (v, name) => {
  await v.inspect(name)
  await v.page.setViewportSize(phone)
  await v.shot(`${name}-phone`)
  await v.fits(`${name} on a phone`)
  await v.page.setViewportSize(desk)
}

const openSchedules = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  const dialog = await openSettings(v, "Schedules")
  await dialog.getByRole("button", { name: "Add a schedule" }).waitFor()
  return dialog
}

const row = (dialog, name) => dialog.getByRole("listitem", { name, exact: true })

export const server = {
  "a schedule is made with its next times in sight, paused, run and deleted": async (v) => {
    const dialog = await openSchedules(v)
    await dialog.getByRole("button", { name: "Add a schedule" }).click()
    await dialog.getByText(/^Default: \S+, from (your profile|the policy|the server)\.$/).waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("This is needed.").first().waitFor()
    await dialog.getByRole("textbox", { name: "Message" }).fill("say the stars are out")
    await dialog.getByRole("textbox", { name: "When", exact: true }).fill("tomorrow")
    await dialog.getByText(/says no time/).waitFor()
    await dialog.getByRole("textbox", { name: "When", exact: true }).fill("0 9 * * 1-5")
    await dialog.getByText("The next times").waitFor()
    await dialog.getByText(/:00/).nth(4).waitFor()
    await inspectBoth(v, "140-schedule-form")
    await dialog.getByText("More", { exact: true }).click()
    await dialog.getByRole("textbox", { name: "Name" }).fill("stars")
    await dialog.getByRole("button", { name: "Save" }).click()
    await row(dialog, "stars").getByText(/^next /).waitFor()

    await row(dialog, "stars").getByRole("button", { name: "Pause stars" }).click()
    await row(dialog, "stars").getByText("paused", { exact: true }).waitFor()
    await row(dialog, "stars").getByRole("button", { name: "Resume stars" }).click()
    await row(dialog, "stars").getByText(/^next /).waitFor()
    await row(dialog, "stars").getByRole("button", { name: "Run now: stars" }).click()
    await row(dialog, "stars").getByRole("button", { name: "History of stars" }).click()
    await row(dialog, "stars").getByText(/manual/).first().waitFor()
    await inspectBoth(v, "141-schedules")

    await row(dialog, "stars").getByRole("button", { name: "Delete stars" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await row(dialog, "stars").waitFor({ state: "detached" })
    await v.page.keyboard.press("Escape")
  },
}

export const mock = {
  "the timeline shows what ran and what comes, and a run its steps": async (v) => {
    const dialog = await openSchedules(v)
    await row(dialog, "morning news").getByRole("button", { name: "History of morning news" }).click()
    await row(dialog, "morning news").getByRole("button", { name: "Steps" }).first().click()
    const steps = row(dialog, "morning news").getByRole("list", { name: /^Steps of the run of / })
    await steps.getByText("asked mock/scripted").waitFor()
    await steps.getByText("failed").waitFor()
    await row(dialog, "morning news").getByText("The stars are out.").waitFor()
    await dialog.getByRole("tab", { name: "Timeline" }).click()
    await dialog.getByText("upcoming").first().waitFor()
    await dialog.getByText("done, nothing to say").first().waitFor()
    await dialog.getByLabel("Whose").selectOption({ label: "Services" })
    await dialog.getByText("No runs in these days.").waitFor()
    await dialog.getByLabel("Whose").selectOption({ label: "Internal" })
    await dialog.getByText("upcoming").first().waitFor()
    await inspectBoth(v, "143-timeline")
    await v.page.keyboard.press("Escape")
  },

  "a schedule whose conversation is gone says so, and what was missed is counted": async (v) => {
    const dialog = await openSchedules(v)
    await row(dialog, "disk").getByText("paused: its conversation was deleted").waitFor()
    await row(dialog, "morning news").getByText(/2 missed times were not made up for/).waitFor()
    await row(dialog, "morning news").getByRole("button", { name: "History of morning news" }).click()
    await row(dialog, "morning news").getByRole("link", { name: "Open the conversation" }).nth(1).waitFor()
    assert.equal(await row(dialog, "morning news").getByRole("link", { name: "Open the conversation" }).count(), 2)
    await inspectBoth(v, "142-schedules-history")
    await v.page.keyboard.press("Escape")
  },
}
