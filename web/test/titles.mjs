// What must be seen of titles that a model makes. Each name is a claim.
import { closeDialog, openSettings } from "./lib/settings.mjs"

export const mock = {
  "a conversation gets its title after the answer without a reload, and a switch ends it": async (v) => {
    const row = (name) => v.page.getByRole("navigation").getByRole("link", { name, exact: true }).first()
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("# title Huts in the Dolomites\nsay by bus", "by bus")
    await row("Huts in the Dolomites").waitFor()
    await v.page.getByRole("heading", { name: "Huts in the Dolomites", level: 1 }).waitFor()
    await v.page.waitForFunction(() => document.title.startsWith("Huts in the Dolomites · "))

    await v.page.goto(v.url)
    await v.ready()
    const you = await openSettings(v, "You")
    const box = (checked) => you.getByRole("checkbox", { name: "Let a model name my conversations after the first answer", checked })
    await box(true).waitFor()
    await v.inspect("240-titles")
    await box(true).click()
    await box(false).waitFor()
    await v.page.reload()
    await box(false).waitFor()
    await closeDialog(v)
    await v.ask("# title Never seen\nsay by train", "by train")
    await v.ask("say on foot", "on foot")
    await row(/^# title Never seen/).waitFor()
    await openSettings(v, "You")
    await box(false).click()
    await box(true).waitFor()
    await closeDialog(v)
  },
}
