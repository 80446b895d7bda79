// How collectors of traces are configured, and replies rated. Each name is a claim.
import assert from "node:assert/strict"

import { openSettings } from "./lib/settings.mjs"

const SECRET = "sk-lf-of-a-project-0123456789wxyz"

export const both = {
  "a reply is rated, with a comment, and the rating is there after a reload until it is removed": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("say by bicycle", "by bicycle")
    const button = (name) => v.main.getByRole("button", { name, exact: true }).last()
    await button("Not helpful").click()
    await v.main.getByLabel("Comment (optional)").fill("too slow")
    await v.inspect("250-rating")
    await button("Send feedback").click()
    await v.page.getByText("Thank you for the feedback.").waitFor()
    const conversation = v.page.url()
    const ratings = (await openSettings(v, "Tracing")).getByRole("region", { name: "Ratings of replies" })
    await ratings.getByText("too slow").waitFor()
    await v.page.goto(conversation)
    await v.page.reload()
    await button("Remove rating: not helpful").waitFor()
    await button("Helpful").click()
    await button("Remove rating: helpful").waitFor()
    await button("Not helpful").waitFor()
    await button("Remove rating: helpful").click()
    await button("Helpful").waitFor()
  },
}

export const mock = {
  "an administrator tests a collector, saves it, and its key is never shown again": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const part = await openSettings(v, "Tracing")
    const row = part.getByRole("listitem", { name: "Langfuse", exact: true })
    await row.getByText("Not configured").waitFor()
    await row.getByRole("button", { name: "Edit Langfuse" }).click()
    await row.getByLabel("Public key").fill("pk-lf-1")
    await row.getByLabel("Secret key", { exact: true }).fill("sk-lf-wrong")
    await row.getByRole("button", { name: "Test", exact: true }).click()
    await row.getByText(/The test failed: the target does not accept the key/).waitFor()
    await row.getByLabel("Secret key", { exact: true }).fill(SECRET)
    await row.getByRole("button", { name: "Test", exact: true }).click()
    await row.getByText(/A test span was accepted in/).waitFor()
    await v.inspect("251-tracing")
    await row.getByRole("button", { name: "Save", exact: true }).click()
    await row.getByText(/Configured here · https:\/\/cloud.langfuse.com · …wxyz/).waitFor()
    await row.getByRole("button", { name: "Edit Langfuse" }).click()
    assert.equal(await row.getByLabel("Secret key", { exact: true }).inputValue(), "")
    await row.getByRole("button", { name: "Remove" }).click()
    await row.getByText("Not configured").waitFor()
  },
}
