// How keys of the services that tools use are set. Each name is a claim.
import assert from "node:assert/strict"

import { call, invited } from "./lib/others.mjs"
import { removeKeys, services } from "./lib/services.mjs"
import { openSettings } from "./lib/settings.mjs"

const KEY = "sk-of-a-tool-0123456789wxyz"
const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

const keysOf = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
  return (await openSettings(v, "Models and keys")).getByRole("region", { name: "Keys for tools" })
}

/** The keys are in nothing that the page shows or keeps, or the server sends it. */
const holdNone = async (v, ...secrets) => {
  const shown = await v.page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map(({ value }) => value)
    return [document.documentElement.outerHTML, location.href, ...fields, ...[localStorage, sessionStorage].flatMap((kept) => Object.entries(kept).flat())].join("\n")
  })
  const sent = JSON.stringify(await v.api("/api/keys"))
  for (const secret of secrets) assert.ok(!shown.includes(secret) && !sent.includes(secret), `${secret.slice(0, 8)}… is shown`)
}

export const server = {
  "keys of all services of tools are tried, set for everybody, and never shown again": async (v) => {
    await removeKeys(v)
    const at = await services(KEY)
    const part = await keysOf(v)
    const open = async (name) => {
      const row = part.getByRole("listitem", { name, exact: true })
      await row.getByText("not set", { exact: true }).waitFor()
      await row.getByRole("button", { name: `Edit ${name}` }).click()
      return row
    }
    const test = (row) => row.getByRole("button", { name: "Test", exact: true }).click()
    const save = (row) => row.getByRole("button", { name: "Save", exact: true }).click()
    const paths = { "Search: Tavily": "/tavily", Pictures: "/v1", Speech: "/v1", Video: "/v1", "Transcription of voice messages": "/v1", "Realtime voice": "/v1" }
    for (const [name, path] of Object.entries(paths)) {
      const row = await open(name)
      await row.getByLabel("Address").fill(at.url + path)
      await row.getByLabel("Key", { exact: true }).fill("sk-mistyped-0123456789")
      await test(row)
      await row.getByText("Test failed: the key was not accepted (401): enter another one").waitFor()
      await row.getByLabel("Key", { exact: true }).fill(KEY)
      await test(row)
      await row.getByText(/^Responded in/).waitFor()
      await save(row)
      await row.getByText("the installation's · key …wxyz").waitFor()
    }
    const pictures = part.getByRole("listitem", { name: "Pictures", exact: true })
    await pictures.getByRole("button", { name: "Edit Pictures" }).click()
    assert.deepEqual([await pictures.getByLabel("Key", { exact: true }).inputValue(), await pictures.getByLabel("Address").inputValue()], ["", `${at.url}/v1`])
    await pictures.getByLabel("Address").fill("http://127.0.0.1:9/v1")
    await test(pictures)
    await pictures.getByRole("alert").filter({ hasText: "the address is another one: enter the key for it" }).waitFor()
    await pictures.getByRole("button", { name: "Cancel" }).click()

    const searxng = await open("Search: SearXNG")
    await searxng.getByLabel("Address").fill(`${at.url}/nowhere`)
    await test(searxng)
    await searxng.getByText("Test failed: there is nothing at the address (404)").waitFor()
    await searxng.getByLabel("Address").fill(at.url)
    await test(searxng)
    await searxng.getByText(/^Responded in/).waitFor()
    await save(searxng)
    await searxng.getByText("the installation's", { exact: true }).waitFor()
    const cloudsway = await open("Search: CloudsWay")
    await test(cloudsway)
    await cloudsway.getByRole("alert").filter({ hasText: "search with CloudsWay needs a key: enter it" }).waitFor()
    await cloudsway.getByLabel("Key", { exact: true }).fill(KEY)
    await test(cloudsway)
    await cloudsway.getByText("search with CloudsWay has no request that costs nothing").waitFor()
    await save(cloudsway)
    await cloudsway.getByText("the installation's · key …wxyz").waitFor()
    await holdNone(v, KEY)
    await v.inspect("221-tool-keys")
    await v.page.reload()
    await part.getByText("the installation's · key …wxyz").first().waitFor()
    assert.equal(await part.getByText("the installation's · key …wxyz").count(), 7)
    await holdNone(v, KEY)
    await pictures.getByRole("button", { name: "Edit Pictures" }).click()
    await pictures.getByRole("button", { name: "Remove" }).click()
    await pictures.getByText("not set", { exact: true }).waitFor()
    await removeKeys(v)
    await at.close()
    await v.page.keyboard.press("Escape")
  },

  "a member sets a key for themselves alone, which is used before the installation's until it is removed": async (v) => {
    const mine = "sk-of-a-member-0123456789-4321"
    await removeKeys(v)
    await call(v, "PUT", "/api/keys/image", { shared: true, key: KEY })
    const mia = await invited(v, "Mia")
    const row = (await keysOf(mia)).getByRole("listitem", { name: "Pictures", exact: true })
    const edit = () => row.getByRole("button", { name: "Edit Pictures" }).click()
    await row.getByText("the installation's", { exact: true }).waitFor()
    assert.deepEqual((await mia.api("/api/keys")).keys, [], "nothing is told of the installation's")
    await edit()
    assert.equal(await row.getByLabel("Whose").count(), 0)
    assert.equal(await row.getByRole("button", { name: "Remove" }).count(), 0)
    await row.getByLabel("Key", { exact: true }).fill(mine)
    await row.getByLabel("Address").fill("http://127.0.0.1:9/v1")
    await row.getByRole("button", { name: "Test", exact: true }).click()
    await row.getByText("not an address on the public internet").waitFor()
    await row.getByLabel("Address").fill("")
    await row.getByRole("button", { name: "Save", exact: true }).click()
    await row.getByText("your own · key …4321").waitFor()
    await holdNone(mia, mine, KEY)
    const forAll = await mia.page.request.put(`${v.url}/api/keys/image`, { headers: await mia.headers(), data: { shared: true, key: mine, revision: 1 } })
    assert.equal(forAll.status(), 403)

    const part = await keysOf(v)
    await part.getByRole("listitem", { name: "Pictures", exact: true }).getByText("the installation's · key …wxyz").waitFor()
    assert.deepEqual((await v.api("/api/keys")).keys.filter(({ shared }) => !shared), [], "nobody else sees it")
    await edit()
    await row.getByRole("button", { name: "Remove" }).click()
    await row.getByText("the installation's", { exact: true }).waitFor()

    await removeKeys(v)
    assert.deepEqual((await v.api("/api/keys")).keys, [])
    await mia.page.reload()
    await row.getByText("not set", { exact: true }).waitFor()
    assert.deepEqual(mia.complaints, [])
    await mia.page.context().close()
    await v.page.keyboard.press("Escape")
  },
}

export const mock = {
  "a key for a tool is tried, saved and removed, and never shown again": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const part = (await openSettings(v, "Models and keys")).getByRole("region", { name: "Keys for tools" })
    const row = part.getByRole("listitem", { name: "Pictures" })
    await row.getByText("not set").waitFor()
    await part.getByRole("listitem", { name: "Search: SearXNG" }).getByText("from the environment").waitFor()
    await row.getByRole("button", { name: "Edit Pictures" }).click()
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("it needs a key: enter it").waitFor()
    await row.getByLabel("Key", { exact: true }).fill("wrong")
    await row.getByRole("button", { name: "Test" }).click()
    await row.getByText("Test failed: the key was not accepted (401)").waitFor()
    await row.getByLabel("Key", { exact: true }).fill(KEY)
    await row.getByRole("button", { name: "Test" }).click()
    await row.getByText("Responded in").waitFor()
    await v.inspect("220-tool-key")
    await v.page.setViewportSize(phone)
    await v.inspect("220-tool-key-phone")
    await v.page.setViewportSize(desk)
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("the installation's · key …wxyz").waitFor()
    assert.doesNotMatch(await v.page.content(), new RegExp(KEY))

    await row.getByRole("button", { name: "Edit Pictures" }).click()
    await row.getByLabel("Whose").selectOption({ label: "For you alone" })
    await row.getByLabel("Key", { exact: true }).fill(`mine-${KEY}-9876`)
    await row.getByRole("button", { name: "Save" }).click()
    await row.getByText("your own · key …9876").waitFor()
    for (const whose of ["For you alone", "Shared with all users"]) {
      await row.getByRole("button", { name: "Edit Pictures" }).click()
      await row.getByLabel("Whose").selectOption({ label: whose })
      await row.getByRole("button", { name: "Remove" }).click()
      await row.getByLabel("Whose").waitFor({ state: "detached" })
    }
    await row.getByText("not set").waitFor()
    await v.page.keyboard.press("Escape")
  },
}
