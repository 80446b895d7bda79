// What must work on the page of memory. Each name is a claim. A server that remembers is needed: the mock does not.
import assert from "node:assert/strict"

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
const write = (v, path, content) =>
  v.page.evaluate(
    async ([id, text]) => {
      const answer = await fetch("/api/memory", { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ id, was: "", content: text }) })
      return answer.status
    },
    [`note/${path}`, content],
  )

export const memoryClaims = {
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
      await dialog.getByRole("button", { name: `Forget ${name}` }).click()
      await v.page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click()
      await dialog.getByRole("button", { name: `Forget ${name}` }).waitFor({ state: "detached" })
    }
    await dialog.getByText("Nothing is remembered yet.").waitFor()
    await v.page.keyboard.press("Escape")
  },
}
