// How skills and roles are published, browsed and installed on the page. Each name is a claim.
import assert from "node:assert/strict"

import { call, invited } from "./lib/others.mjs"
import { section } from "./lib/settings.mjs"
import { zip } from "./lib/zip.mjs"

const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

const open = async (v) => {
  await v.page.goto(`${v.url}/settings/registry`)
  await section(v).getByRole("heading", { level: 2, name: "Skills & agents" }).waitFor()
  await section(v).getByRole("button", { name: "Choose a file" }).waitFor()
  return section(v)
}

/** Nothing is installed, and nothing of the visitor's own is published. */
const begin = async (v) => {
  for (const { id, shared } of (await v.api("/api/registry/installs")).installs) await call(v, "DELETE", `/api/registry/installs/${id}?shared=${shared}`)
  for (const { id } of (await v.api("/api/registry/entries?own=true")).entries) await call(v, "DELETE", `/api/registry/entries/${id}`)
  return open(v)
}

const archive = (name, words) => ({
  name: `${name}.zip`,
  mimeType: "application/zip",
  buffer: zip({ [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Writes the ${name} of a version.\n---\n${words}\n`, [`${name}/scripts/run.sh`]: "echo hi" }),
})

const choose = (shown, file) => shown.getByLabel("Choose a file", { exact: true }).and(shown.page().locator("input")).setInputFiles(file)

const listed = (shown, name) => shown.getByRole("list", { name: "Published skills and roles" }).getByRole("listitem", { name: new RegExp(`^${name} \\(`) })

const held = (shown, name) => shown.getByRole("list", { name: "Installed skills and roles" }).getByRole("listitem", { name, exact: true })

/** What only a server does, since it needs somebody else. */
export const server = {
  "a skill is published, looked into, installed, updated, switched off and uninstalled": async (v) => {
    const shown = await begin(v)
    await choose(shown, archive("changelog", "<b>First</b> look at the log."))
    await shown.getByText("changelog is published, version 1.").waitFor()
    await shown.getByRole("searchbox", { name: "Search" }).fill("changelog version")
    const row = listed(shown, "changelog")
    await row.getByText("you alone find it").waitFor()
    await listed(shown, "meeting-notes").waitFor({ state: "detached" }) // what is not looked for is not shown
    await row.getByRole("button", { name: "Look inside changelog" }).click()
    await row.getByLabel("SKILL.md", { exact: true }).getByText("<b>First</b> look at the log.").waitFor() // as text
    assert.equal(await row.locator("pre b").count(), 0)
    await row.getByRole("button", { name: /^scripts\/run\.sh/ }).click()
    await row.getByLabel("scripts/run.sh", { exact: true }).getByText("echo hi").waitFor()
    await v.inspect("registry-inside")
    await row.getByRole("button", { name: "Install changelog", exact: true }).click()
    const mine = held(shown, "changelog")
    await mine.getByText("skill · version 1").waitFor()

    await shown.getByRole("textbox", { name: "Release notes" }).fill("Looks twice.")
    await choose(shown, archive("changelog", "Look twice at the log."))
    await shown.getByText("changelog is published, version 2.").waitFor()
    await mine.getByText("version 2 is there").waitFor()
    await row.getByText("Looks twice.").waitFor()
    await row.getByLabel("scripts/run.sh", { exact: true }).waitFor() // what is installed is what is shown still
    await row.getByRole("button", { name: /^SKILL\.md/ }).click()
    await row.getByLabel("SKILL.md", { exact: true }).getByText("<b>First</b> look at the log.").waitFor()
    await mine.getByRole("button", { name: "Update changelog" }).click()
    await mine.getByText("skill · version 2").waitFor()
    await row.getByLabel("SKILL.md", { exact: true }).getByText("Look twice at the log.").waitFor() // as what is installed now
    await row.getByRole("button", { name: "Install this version: changelog, 1" }).click()
    await mine.getByText("skill · version 1").waitFor()
    await mine.getByRole("button", { name: "Switch off changelog" }).click()
    await mine.getByText("off", { exact: true }).waitFor()
    await v.page.setViewportSize(phone)
    await v.fits("the registry on a phone")
    await v.inspect("registry-phone")
    await v.page.setViewportSize(desk)
    await row.getByRole("button", { name: "Share with all users: changelog" }).click()
    await row.getByText("visible to all users").waitFor()
    await mine.getByRole("button", { name: "Uninstall changelog" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Uninstall" }).click()
    await mine.waitFor({ state: "detached" })
    await row.getByRole("button", { name: "Delete changelog" }).click()
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await row.waitFor({ state: "detached" })
  },

  "an archive that leads elsewhere is refused, and the page says why": async (v) => {
    const shown = await begin(v)
    const evil = { name: "evil.zip", mimeType: "application/zip", buffer: zip({ "SKILL.md": "---\nname: evil\ndescription: d\n---\n", "../evil": "x" }) }
    const complaints = v.complaints.length
    await choose(shown, evil)
    await shown.getByText(/leads elsewhere/).waitFor()
    v.complaints.splice(complaints) // the browser tells of the refusal
    assert.equal(await listed(shown, "evil").count(), 0)
  },

  "what one person shares another installs, and a private one is not there for them": async (v) => {
    const shown = await begin(v)
    await choose(shown, archive("private-plan", "Hidden."))
    await shown.getByText("private-plan is published, version 1.").waitFor()
    await shown.getByRole("combobox", { name: "Who finds it" }).selectOption("all users")
    await choose(shown, archive("shared-plan", "Shown."))
    await shown.getByText("shared-plan is published, version 1.").waitFor()
    const guest = await invited(v, "Reader")
    const theirs = await open(guest)
    await listed(theirs, "shared-plan").getByRole("button", { name: "Install shared-plan", exact: true }).click()
    await held(theirs, "shared-plan").getByText("skill · version 1").waitFor()
    assert.equal(await listed(theirs, "private-plan").count(), 0)
    assert.equal(await theirs.getByRole("button", { name: "Install for all users: shared-plan" }).count(), 0, "that is for administrators")
    const download = guest.page.waitForEvent("download")
    await held(theirs, "shared-plan").getByRole("link", { name: "Export shared-plan" }).click()
    assert.equal((await download).suggestedFilename(), "shared-plan.zip")
    await guest.page.context().close()
    await begin(v)
  },
}
