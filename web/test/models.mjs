// How a model is connected and chosen. Each name is a claim about a fresh installation, whose settings name no model: it is another
// server than that of the other claims (XBOT_TEST_FRESH_URL, XBOT_TEST_FRESH_LINK), and XBOT_TEST_MODEL is the address of the scripted
// provider that it connects to. Each claim brings the installation back to where it has none.
import assert from "node:assert/strict"

import { answersAboutTheHost } from "./firstrun.mjs"
import { hasValue } from "./lib/fields.mjs"
import { call, invited, visitorAt } from "./lib/others.mjs"
import { openSettings as openSection, section as settings } from "./lib/settings.mjs"

const PASSWORD = "correct horse battery"
const KEY = "sk-of-the-page-0123456789wxyz"
const HINT = "…wxyz"

const desk = { width: 1280, height: 860 }
const phone = { width: 375, height: 812 }

let known

/** The administrator, whose one-time link works once. */
const administrator = async (v, { url, link }) => {
  if (known) return known
  const admin = await visitorAt(v, url)
  await admin.page.goto(link)
  await admin.page.waitForURL("**/password")
  await admin.page.getByLabel("New password").fill(PASSWORD)
  await admin.page.getByRole("button", { name: "Set password" }).click()
  await admin.ready()
  known = admin
  return admin
}

/** The administrator on the first page of an installation where the demo answers. */
const begin = async (v, fresh) => {
  const admin = await administrator(v, fresh)
  await admin.page.setViewportSize(desk)
  for (const { id } of (await admin.api("/api/subscriptions")).subscriptions) await call(admin, "DELETE", `/api/subscriptions/${id}`)
  await call(admin, "PATCH", "/api/models/choice", { model: "", vanguard: "", balance: "", swift: "" })
  await admin.page.evaluate(() => {
    for (const name of Object.keys(localStorage)) if (name.startsWith("xbot.demo.")) localStorage.removeItem(name)
    localStorage.setItem("xbot.language", "en")
  })
  await home(admin)
  return admin
}

const home = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}

/** Connects the scripted provider past the page. */
const connect = (v, fresh, models = ["llmtest"]) =>
  call(v, "POST", "/api/subscriptions", {
    shared: true, name: "scripted", provider: "openai", api_type: "chat_completions", base_url: fresh.model, key: KEY, models: models.map((id) => ({ id })),
  })

/** The section of models. */
const openSettings = async (v) => {
  await home(v)
  await openSection(v, "Models and keys")
  await settings(v).getByRole("region", { name: "Your subscriptions" }).waitFor()
  return settings(v)
}

const answers = (v, model) => v.page.getByRole("button", { name: new RegExp(`^Account and settings.*${model}$`) }).waitFor()

const box = (dialog, name) => dialog.getByRole("textbox", { name, exact: true })

/** Fills in where a provider is that the page does not know by name. */
const fillIn = async (dialog, name, address, key) => {
  await dialog.getByText("Another compatible service", { exact: true }).click()
  await box(dialog, "Name").fill(name)
  await box(dialog, "Address").fill(address)
  await dialog.getByLabel("Key", { exact: true }).fill(key)
}

const inspectPhone = async (v, name) => {
  await v.page.setViewportSize(phone)
  await v.page.mouse.move(0, 0) // the tip of a button that came below it would cover others
  await v.inspect(name)
  await v.page.setViewportSize(desk)
}

/** A key is in nothing that the page shows or keeps. */
const holdsNoKey = async (v, secret = KEY) => {
  const found = await v.page.evaluate((key) => {
    const fields = [...document.querySelectorAll("input, textarea")].map(({ value }) => value)
    const kept = [localStorage, sessionStorage].flatMap((storage) => Object.entries(storage).flat())
    return [document.documentElement.outerHTML, location.href, ...fields, ...kept].filter((text) => text.includes(key)).length
  }, secret)
  assert.equal(found, 0)
  assert.doesNotMatch(JSON.stringify(await v.api("/api/subscriptions")), new RegExp(secret))
}

export const fresh = {
  "a fresh installation says that the demo answers, and leads to where a model is connected": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    const card = a.main.getByRole("region", { name: "Connect a model" })
    await card.getByText("No model is connected yet: the built-in demo answers.").waitFor()
    await a.inspect("200-first-run")
    await inspectPhone(a, "200-first-run-phone")
    assert.equal(await a.page.getByRole("navigation").getByRole("button", { name: "Archived and one-shots" }).count(), 0, "there is nothing in it")
    await card.getByRole("link", { name: "Tool permissions" }).click()
    await settings(a).getByRole("group", { name: "In all conversations" }).getByText("You are asked before a command runs").waitFor()
    await a.page.keyboard.press("Escape")
    await card.getByRole("link", { name: "Connect a model" }).click()
    await settings(a).getByRole("heading", { name: "Add a subscription of the installation" }).waitFor()
    assert.equal(await a.page.getByRole("link", { name: "Models and keys" }).getAttribute("aria-current"), "page")
    await settings(a).getByText("Ollama on the server").waitFor()
    await a.inspect("201-subscription")
    await inspectPhone(a, "201-subscription-phone")
    await settings(a).getByRole("button", { name: "Save" }).click()
    await settings(a).getByText("Choose at least one model.").waitFor()
    await a.page.keyboard.press("Escape")
    await settings(a).waitFor({ state: "detached" })
    await card.getByRole("button", { name: "Continue with the demo" }).click()
    await card.waitFor({ state: "detached" })
    await home(a)
    assert.equal(await card.count(), 0, "it stays away")
  },

  "a fresh installation asks once what tools may do on its own machine, and that is in force": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    const write = async (text) => call(a, "PUT", "/api/policy", { text, version: (await a.api("/api/policy")).version })
    await write("{}")
    await home(a)
    await answersAboutTheHost(a, () => write("{limits: {turns: 7}}"))
    assert.equal((await a.api("/api/permissions")).default, "ask")
    assert.deepEqual(JSON.parse((await a.api("/api/policy")).text), { limits: { turns: 7 }, permissions: { administrators: "ask", others: "ask" } })
    await write("{}")
  },

  "a provider is connected from the page alone, and answers the next message": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    const asked = []
    a.page.on("request", (request) => asked.push(request.url()))
    await a.main.getByRole("link", { name: "Connect a model" }).click()
    const dialog = settings(a)
    await fillIn(dialog, "scripted", "http://127.0.0.1:9/v1", KEY)
    await dialog.getByRole("button", { name: "Ask for its models" }).click()
    await dialog.getByRole("alert").filter({ hasText: "the connection to 127.0.0.1:9 failed" }).waitFor()
    await a.inspect("202-wrong-address")
    await box(dialog, "Address").fill(fresh.model)
    assert.equal(await dialog.getByRole("alert").count(), 0, "what was said of another address is gone")
    await dialog.getByRole("button", { name: "Ask for its models" }).click()
    const offered = dialog.getByRole("list", { name: "Available models" })
    await offered.getByRole("checkbox", { name: "llmtest" }).waitFor()
    await dialog.getByLabel("Filter").fill("nothing like it")
    await dialog.getByText("None has this in its name.").waitFor()
    await dialog.getByLabel("Filter").fill("LLM")
    await offered.getByRole("checkbox", { name: "llmtest" }).check()
    const chosen = dialog.getByRole("list", { name: "Chosen models" })
    await chosen.getByRole("button", { name: "Details of llmtest" }).click()
    await box(chosen, "Other names").fill("quick")
    await chosen.getByLabel("Context, in tokens").fill("64000")
    await chosen.getByLabel("In", { exact: true }).fill("0.5")
    await a.inspect("203-chosen")
    await inspectPhone(a, "203-chosen-phone")
    await dialog.getByRole("button", { name: "Test", exact: true }).click()
    await dialog.getByText(/^llmtest answered in .*: “/).waitFor()
    await a.inspect("204-tested")
    await dialog.getByRole("button", { name: "Save", exact: true }).click()
    await a.page.getByText("scripted/llmtest answers now.").first().waitFor()
    const row = dialog.getByRole("listitem", { name: "scripted", exact: true })
    await row.getByText(`key ${HINT}`).waitFor()
    await row.getByText("models: 1").waitFor()
    await a.page.waitForFunction(() => document.getElementById("section-title")?.closest("[role=group]")?.scrollTop === 0)
    await a.inspect("205-models")
    await inspectPhone(a, "205-models-phone")
    await holdsNoKey(a)
    await a.page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    assert.equal(await a.main.getByRole("region", { name: "Connect a model" }).count(), 0)
    await answers(a, "scripted/llmtest")
    await a.ask("say connected from the page", "connected from the page")
    await holdsNoKey(a)
    assert.deepEqual(asked.filter((url) => url.includes(KEY)), [])
    const { models } = await a.api("/api/models")
    const model = models.find(({ id }) => id === "scripted/llmtest")
    assert.deepEqual([model.alias, model.max_context, model.price], [["quick"], 64_000, { input: 0.5, cached: 0.5, output: 0 }])
  },

  "a wrong address, key or name of a model is explained in words before anything is saved, and answers once it is right": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    await a.main.getByRole("link", { name: "Connect a model" }).click()
    const dialog = settings(a)
    const { host } = new URL(fresh.strict)
    const wrong = "sk-mistyped-0123456789abcdef"
    const ask = dialog.getByRole("button", { name: "Ask for its models" })
    const save = dialog.getByRole("button", { name: "Save", exact: true })
    const says = (text) => dialog.getByRole("alert").filter({ hasText: text }).waitFor()
    const nothingSaved = async () => assert.deepEqual((await a.api("/api/subscriptions")).subscriptions, [])
    await fillIn(dialog, "strict", fresh.strict.replace(/v1$/, "v2"), wrong)
    await ask.click()
    await says(`${host} has no such model or no such API there (404): 404 page not found; check the model's name and the base URL`)

    await box(dialog, "Address").fill(fresh.strict)
    await ask.click()
    await says(`${host} does not accept the API key or the account (401): Incorrect API key provided: `)
    assert.doesNotMatch(await dialog.getByRole("alert").textContent(), new RegExp(wrong), "what the provider repeats of a key is left out")
    await a.inspect("202-wrong-key")
    await dialog.getByLabel("Name of a model").fill("llmtset")
    await dialog.getByLabel("Name of a model").press("Enter")
    await save.click()
    await says(`The test of llmtset failed: ${host} does not accept the API key or the account (401)`)
    await dialog.getByRole("button", { name: "Save anyway" }).waitFor()
    await nothingSaved()

    await dialog.getByLabel("Key", { exact: true }).fill(fresh.key)
    assert.equal(await dialog.getByRole("alert").count(), 0, "what was said of another key is gone")
    await save.click()
    await says(`The test of llmtset failed: ${host} has no such model or no such API there (404): The model \`llmtset\` does not exist`)
    await dialog.getByRole("button", { name: "Save anyway" }).waitFor()
    await nothingSaved()
    await inspectPhone(a, "202-wrong-model-phone")

    await dialog.getByRole("list", { name: "Chosen models" }).getByRole("button", { name: "Leave out llmtset" }).click()
    await ask.click()
    await dialog.getByRole("list", { name: "Available models" }).getByRole("checkbox", { name: "llmtest" }).check()
    await save.click()
    await a.page.getByText("strict/llmtest answers now.").first().waitFor()
    await holdsNoKey(a, fresh.key)
    await a.page.keyboard.press("Escape")
    await answers(a, "strict/llmtest")
    await a.ask("say right at last", "right at last")
    assert.equal((await a.api("/api/subscriptions")).subscriptions.length, 1)
    await holdsNoKey(a, fresh.key)
  },

  "a stored key stays, is asked for at another address, and can be removed": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    await connect(a, fresh)
    const dialog = await openSettings(a)
    const edit = dialog.getByRole("button", { name: "Edit scripted" })
    await edit.click()
    const key = dialog.getByLabel("Key", { exact: true })
    assert.deepEqual([await key.inputValue(), await key.getAttribute("placeholder")], ["", HINT])
    await holdsNoKey(a)
    await a.inspect("206-edit")
    await box(dialog, "Address").fill("http://127.0.0.1:9/v1")
    await dialog.getByRole("button", { name: "Save", exact: true }).click()
    await dialog.getByRole("alert").filter({ hasText: "the address is another one: enter the key for it" }).waitFor()
    await box(dialog, "Address").fill(fresh.model)
    await dialog.getByRole("button", { name: "Test", exact: true }).click()
    await dialog.getByText(/^llmtest answered in/).waitFor()
    await box(dialog, "Name").fill("renamed")
    await dialog.getByRole("button", { name: "Save", exact: true }).click()
    await dialog.getByRole("listitem", { name: "renamed" }).getByText(`key ${HINT}`).waitFor()
    await dialog.getByRole("button", { name: "Edit renamed" }).click()
    await dialog.getByLabel("Remove the key").check()
    await dialog.getByRole("button", { name: "Save", exact: true }).click()
    await dialog.getByRole("listitem", { name: "renamed" }).getByText("no key").waitFor()
    await a.page.keyboard.press("Escape")
  },

  "a subscription of one's own is tested before it is saved, answers where one lets it, and is removed": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    const dialog = await openSettings(a)
    await dialog.getByRole("button", { name: "Add a subscription of your own" }).click()
    assert.equal(await dialog.getByText("Ollama on the server").count(), 0, "nobody's own reaches the server's machine")
    await fillIn(dialog, "mine", "http://127.0.0.1:9/v1", KEY)
    await dialog.getByLabel("Name of a model").fill("some-model")
    await dialog.getByLabel("Name of a model").press("Enter")
    await dialog.getByRole("button", { name: "Save", exact: true }).click()
    await dialog.getByRole("alert").filter({ hasText: "not an address on the public internet" }).waitFor()
    assert.deepEqual((await a.api("/api/subscriptions")).subscriptions, [])
    await a.inspect("207-save-anyway")
    await dialog.getByRole("button", { name: "Save anyway" }).click()
    await dialog.getByText("mine is saved, but the built-in demo still answers you.").waitFor()
    await a.inspect("208-let-it-answer")
    await dialog.getByRole("button", { name: "Use as my model" }).click()
    await dialog.getByRole("button", { name: "Use as my model" }).waitFor({ state: "detached" })
    await dialog.locator('select:has(option[value="mine/some-model"]:checked)').first().waitFor() // the usual model
    await hasValue(dialog.getByLabel("Usual model"), "mine/some-model")
    await dialog.getByRole("button", { name: "Remove mine" }).click()
    await a.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
    await dialog.getByText("You have none.").waitFor()
    const removed = await dialog.getByLabel("Usual model").inputValue()
    assert.equal(removed, "mine/some-model", "what was chosen is told although it is gone")
    await dialog.getByLabel("Usual model").selectOption("")
    await a.page.keyboard.press("Escape")
    await answers(a, "demo/demo")
  },

  "the usual model and those of the tiers are chosen and taken back": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    await connect(a, fresh, ["llmtest", "other"])
    const dialog = await openSettings(a)
    const choose = async (label, model) => {
      const changed = a.page.waitForResponse((response) => response.request().method() === "PATCH" && response.url().endsWith("/api/models/choice"))
      await dialog.getByLabel(label).selectOption(model)
      assert.equal((await changed).status(), 200)
    }
    await dialog.getByText("The installation's (scripted/llmtest)").waitFor({ state: "attached" })
    await choose("Usual model", "scripted/other")
    await dialog.getByText("Subagent models").click()
    await choose("Fastest", "scripted/llmtest")
    await a.inspect("209-choice")
    await inspectPhone(a, "209-choice-phone")
    const { usual, model, tiers } = await a.api("/api/models/choice")
    assert.deepEqual([usual, model, tiers], ["scripted/other", "scripted/other", { vanguard: "", balance: "", swift: "scripted/llmtest" }])
    await a.page.keyboard.press("Escape")
    await answers(a, "scripted/other")
    await a.ask("say from the other one", "from the other one")
    const again = await openSettings(a)
    await hasValue(again.getByLabel("Usual model"), "scripted/other")
    await choose("Usual model", "")
    await a.page.keyboard.press("Escape")
    await answers(a, "scripted/llmtest")
    assert.equal((await a.api("/api/models/choice")).model, "")
  },

  "a member sees no subscription of the installation, only its models": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    const mia = await invited(a, "Mia")
    await mia.main.getByText("Ask an administrator, or connect a model of your own.").waitFor()
    await mia.inspect("210-first-run-member")
    await mia.main.getByRole("link", { name: "Connect a model of your own" }).click()
    await settings(mia).getByRole("heading", { name: "Add a subscription of your own" }).waitFor()
    await mia.page.keyboard.press("Escape")
    await connect(a, fresh)
    const dialog = await openSettings(mia)
    await dialog.getByText("The installation's (scripted/llmtest)").waitFor({ state: "attached" })
    assert.equal(await dialog.getByRole("region", { name: /^Shared with all users/ }).count(), 0)
    assert.equal(await dialog.getByRole("button", { name: "Add a subscription of the installation" }).count(), 0)
    assert.deepEqual((await mia.api("/api/subscriptions")).subscriptions, [])
    await mia.inspect("211-models-member")
    await mia.page.keyboard.press("Escape")
    await mia.ask("say good morning", "good morning")
    assert.deepEqual(mia.complaints, [])
    await mia.page.context().close()
  },

  "models and keys are read in Chinese on a phone": async (v, { fresh }) => {
    const a = await begin(v, fresh)
    await connect(a, fresh)
    await a.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
    await home(a)
    await a.page.getByRole("button", { name: /^账户与设置/ }).click()
    await a.page.getByRole("menuitem", { name: "设置" }).click()
    await a.page.getByRole("link", { name: "模型与密钥" }).click()
    await a.page.setViewportSize(phone)
    await a.page.getByRole("button", { name: "修改 scripted" }).waitFor()
    await a.inspect("212-models-zh-phone")
    await a.page.getByRole("button", { name: "修改 scripted" }).click()
    await a.page.getByRole("button", { name: "获取模型列表" }).waitFor()
    await a.inspect("213-subscription-zh-phone")
    await a.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
    await a.page.setViewportSize(desk)
    await home(a)
    assert.deepEqual(a.complaints, [])
  },
}
