// What must work on the page of memory. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const openMemory = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  await v.page.getByRole("button", { name: /^Account and settings/ }).click()
  await v.page.getByRole("menuitem", { name: "Memory" }).click()
  return v.page.getByRole("dialog", { name: "Memory" })
}

/** Writes a note as the person who is signed in. */
const write = async (v, path, content) => {
  const data = { id: `note/${path}`, was: "", content }
  return (await v.page.request.put(`${v.url}/api/memory`, { headers: await v.headers(), data })).status()
}

/** What a server does of which nothing is remembered yet. */
export const server = {
  "memory is seen, searched, changed and forgotten": async (v) => {
    assert.equal(await write(v, "likes.md", "green tea"), 204)
    assert.equal(await write(v, "places.md", "born in Lindau"), 204)
    const dialog = await openMemory(v)
    await dialog.getByText("green tea").waitFor()
    await dialog.getByRole("searchbox", { name: "Search memory" }).fill("lindau")
    await dialog.getByText("green tea").waitFor({ state: "detached" })
    await dialog.getByText("born in Lindau").waitFor()
    await dialog.getByRole("searchbox", { name: "Search memory" }).fill("")

    await dialog.getByRole("button", { name: "Change likes.md" }).click()
    await dialog.getByRole("textbox", { name: "Text of likes.md" }).fill("black coffee")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("black coffee").waitFor()
    await v.inspect("160-memory")
    await v.page.setViewportSize(phone)
    await v.shot("160-memory-phone")
    await v.fits("160-memory on a phone")
    await v.page.setViewportSize(desk)

    for (const name of ["likes.md", "places.md"]) {
      await dialog.getByRole("button", { name: `Delete ${name}` }).click()
      await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
      await dialog.getByRole("button", { name: `Delete ${name}` }).waitFor({ state: "detached" })
    }
    await dialog.getByText("Nothing is remembered yet.").waitFor()
    await v.page.keyboard.press("Escape")
  },
}

const phoneOf = async (v, name) => {
  await v.page.setViewportSize(phone)
  await v.inspect(`${name}-phone`)
  await v.page.setViewportSize(desk)
}

export const mock = {
  "what a person said of themselves before is compared, comes back and is deleted": async (v, { mock }) => {
    await v.page.goto(v.url)
    await v.ready()
    const you = await openSettings(v, "You")
    const write = async (text, zone) => {
      await you.getByRole("button", { name: "Change Your profile" }).click()
      await you.getByRole("textbox", { name: "Text of your profile" }).fill(text)
      await you.getByRole("textbox", { name: "Your timezone" }).fill(zone)
      await you.getByRole("form", { name: "Your profile" }).getByRole("button", { name: "Save" }).click()
      await you.getByRole("region", { name: "Your profile" }).getByText(text).waitFor()
    }
    await you.getByRole("button", { name: "Change Your profile" }).waitFor()
    assert.equal(await you.getByRole("button", { name: "Versions of your profile" }).count(), 0, "there are none yet")
    await write("Ann, call me captain", "Asia/Shanghai")
    await write("Ann, call me Ann", "")
    await you.getByRole("button", { name: "Versions of your profile" }).click()
    await you.getByRole("button", { name: /^v2.*16 characters.*in force/ }).click()
    const change = you.getByRole("region", { name: "Changes in v2" })
    assert.match(await change.locator("del").allInnerTexts().then((all) => all.join("\n")), /call me captain[^]*Timezone: Asia\/Shanghai/)
    await change.locator("ins").getByText("call me Ann").waitFor()
    assert.equal(await you.getByRole("button", { name: "Go back to this version" }).count(), 0, "it is in force")
    await you.getByRole("button", { name: /^v1/ }).click()
    await you.getByRole("button", { name: "Go back to this version" }).waitFor()
    await v.inspect("167-profile-versions")
    await phoneOf(v, "167-profile-versions")
    await you.getByRole("button", { name: "Go back to this version" }).click()
    await you.getByRole("region", { name: "Your profile" }).getByText("Ann, call me captain").waitFor()
    await you.getByRole("button", { name: /^v3.*Asia\/Shanghai.*in force/ }).waitFor()
    await you.getByRole("button", { name: /^v2/ }).click()
    await you.getByRole("button", { name: "Delete this version" }).click()
    await you.getByRole("button", { name: /^v2/ }).waitFor({ state: "detached" })
    await you.getByRole("button", { name: /^v1/ }).click()
    mock.memory.overwrite("Somebody else wrote this")
    await you.getByRole("button", { name: "Go back to this version" }).click()
    await v.page.getByText("The profile was changed meanwhile.").waitFor()
    await you.getByRole("region", { name: "Your profile" }).getByText("Somebody else wrote this").waitFor()
  },

  "what a person says of themselves, and soul files, are written and changed": async (v) => {
    const dialog = await openMemory(v)
    await dialog.getByRole("button", { name: "Change Your profile" }).click()
    await dialog.getByRole("textbox", { name: "Text of your profile" }).fill("Ann, call me captain")
    await dialog.getByRole("textbox", { name: "Your timezone" }).fill("Asia/Shanghai")
    await v.inspect("165-profile")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Ann, call me captain").waitFor()
    await dialog.getByText("Asia/Shanghai").waitFor()
    await dialog.getByRole("button", { name: "New soul file" }).click()
    await dialog.getByRole("textbox", { name: "Name of the soul file" }).fill("tone.md")
    await dialog.getByRole("textbox", { name: "Text of the soul file" }).fill("dry humour")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("dry humour").waitFor()
    await dialog.getByRole("button", { name: "Change tone.md" }).click()
    await dialog.getByRole("textbox", { name: "Text of tone.md" }).fill("dry humour, short")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("dry humour, short").waitFor()
    await v.inspect("166-soul")
    await phoneOf(v, "166-soul")
    await dialog.getByRole("combobox", { name: "Memory of" }).selectOption("ops")
    await dialog.getByText("Conversations that end are not put into memory: that is switched off.").waitFor()
    await dialog.getByRole("button", { name: "New soul file" }).waitFor({ state: "detached" })
    await v.page.keyboard.press("Escape")
  },

  "memory of all kinds is read, found by its words, and empty for another agent": async (v) => {
    const dialog = await openMemory(v)
    for (const text of [/Green tea in the morning/, /keeps the importer/, /disks of db1/, /week in the Dolomites/]) await dialog.getByText(text).waitFor()
    await dialog.getByText(/is being memorized/).waitFor()
    await dialog.getByText(/could not be memorized: the model did not answer/).waitFor()
    await v.inspect("161-memory-full")
    await phoneOf(v, "161-memory-full")
    await dialog.getByRole("searchbox", { name: "Search memory" }).fill("disks")
    await dialog.getByText(/Green tea/).waitFor({ state: "detached" })
    await dialog.getByText(/disks of db1/).waitFor()
    await dialog.getByRole("searchbox", { name: "Search memory" }).fill("llamas")
    await dialog.getByText("Nothing of the kind is remembered.").waitFor()
    await dialog.getByRole("searchbox", { name: "Search memory" }).fill("")
    await dialog.getByRole("combobox", { name: "Memory of" }).selectOption("ops")
    await dialog.getByText("Nothing is remembered yet.").waitFor()
    await v.inspect("162-memory-empty")
    await v.page.keyboard.press("Escape")
  },

  "memory that changed meanwhile is not written over, and is forgotten only after a question": async (v, { mock }) => {
    const dialog = await openMemory(v)
    await dialog.getByRole("button", { name: "Change human" }).click()
    mock.memory.change("block/human", "Mara has moved to Bregenz.")
    const text = dialog.getByRole("textbox", { name: "Text of human" })
    await text.fill("Mara lives on a boat.")
    await dialog.getByRole("button", { name: "Save" }).click()
    await v.page.getByText("It was changed meanwhile: look at it again.").first().waitFor()
    assert.equal(await text.inputValue(), "Mara lives on a boat.", "what was typed stays")
    await dialog.getByText("Mara has moved to Bregenz.").waitFor()
    await v.inspect("163-memory-conflict")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.getByText("Mara has moved to Bregenz.").waitFor()
    await dialog.getByRole("button", { name: "Delete likes.md" }).click()
    await v.inspect("164-memory-forget")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
    await dialog.getByText(/Green tea/).waitFor()
    await dialog.getByRole("button", { name: "Delete likes.md" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await dialog.getByText(/Green tea/).waitFor({ state: "detached" })
    await v.page.keyboard.press("Escape")
  },
}
