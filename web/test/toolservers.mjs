// How MCP servers are managed on the page. Each name is a claim.
import assert from "node:assert/strict"
import { createServer } from "node:http"

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"

import { call } from "./lib/others.mjs"
import { openSettings } from "./lib/settings.mjs"

const SECRET = "tools-of-a-page-0123456789"
const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

/** The section of the settings; there are no servers. */
const toolsOf = async (v) => {
  for (const { name, shared } of (await v.api("/api/mcp-servers")).servers) await call(v, "DELETE", `/api/mcp-servers/${name}?shared=${shared}`)
  await v.page.goto(v.url)
  await v.ready()
  return openSettings(v, "Tools")
}

/** The folder of the mock that has a .mcp.json. */
const projectOf = async (page) => {
  const row = page.getByRole("list", { name: "Folders", exact: true }).getByRole("listitem", { name: '"/home/lena/fruit shop"' })
  await row.waitFor()
  return row
}

const projectsAre = async (v, projects) => {
  await v.page.unroute("**/api/mcp-projects")
  await v.page.route("**/api/mcp-projects", (route) => route.fulfill({ json: { projects } }))
}

/** The secret is in nothing that the page shows or keeps, or the server sends it. */
const holdsNone = async (v) => {
  const shown = await v.page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map(({ value }) => value)
    return [document.documentElement.outerHTML, location.href, ...fields, ...[localStorage, sessionStorage].flatMap((kept) => Object.entries(kept).flat())].join("\n")
  })
  assert.ok(!`${shown}${JSON.stringify(await v.api("/api/mcp-servers"))}`.includes(SECRET), "the secret is shown")
}

/** Serves two tools on a free port of this machine, to whoever knows the secret. */
async function shop() {
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${SECRET}`) return response.writeHead(401).end(`wrong key: ${request.headers.authorization}`)
    const mcp = new McpServer({ name: "shop", version: "1" })
    const nothing = () => ({ content: [{ type: "text", text: "done" }] })
    mcp.registerTool("look_up", { description: "Looks up what a fruit costs.", annotations: { readOnlyHint: true } }, nothing)
    mcp.registerTool("order", { description: "Orders a fruit." }, nothing)
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
    response.on("close", () => transport.close())
    await mcp.connect(transport)
    await transport.handleRequest(request, response)
  })
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens))
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close: () => new Promise((closed) => (server.close(closed), server.closeAllConnections())) }
}

/** A server is in the list, with its two tools. */
const listsTools = async (row, name) => {
  await row.getByText("2 tools").waitFor()
  await row.getByRole("button", { name: `Tools of ${name}` }).click()
  await row.getByRole("listitem", { name: `mcp_${name}_look_up` }).getByText("reads", { exact: true }).waitFor()
  await row.getByRole("listitem", { name: `mcp_${name}_order` }).getByText("acts once", { exact: true }).waitFor()
}

const remove = async (v, row, name) => {
  await row.getByRole("button", { name: `Remove ${name}` }).click()
  await v.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  await row.waitFor({ state: "detached" })
}

export const server = {
  "an MCP server is added for everybody, says what is wrong, lists its tools once its key is right, and is removed": async (v) => {
    const at = await shop()
    const page = await toolsOf(v)
    await page.getByRole("button", { name: "Add a server" }).click()
    await page.getByLabel("Name", { exact: true }).fill("fruits")
    await page.getByLabel("Whose").selectOption({ label: "Shared with all users" })
    await page.getByLabel("Address").fill(at.url)
    await page.getByLabel("Trust its tool annotations").check()
    await page.getByRole("button", { name: "Add a header" }).click()
    const headers = page.getByRole("group", { name: "Headers" })
    await headers.getByLabel("Name").fill("Authorization")
    await headers.getByLabel("Value of Authorization").fill(`Bearer ${SECRET}-mistyped`)
    await page.getByRole("button", { name: "Save" }).click()
    const row = page.getByRole("listitem", { name: "fruits (the installation's)" })
    await row.getByText("Not working: the MCP server fruits cannot be used").waitFor()
    await holdsNone(v)
    await row.getByRole("button", { name: "Edit fruits" }).click()
    assert.equal(await headers.getByLabel("Value of Authorization").inputValue(), "")
    await headers.getByLabel("Value of Authorization").fill(`Bearer ${SECRET}`)
    await page.getByRole("button", { name: "Save" }).click()
    await listsTools(row, "fruits")
    await row.getByText("Not working").waitFor({ state: "detached" })
    await holdsNone(v)
    await row.getByRole("button", { name: "Switch off fruits" }).click()
    await row.getByText("off", { exact: true }).waitFor()
    await row.getByRole("button", { name: "Switch on fruits" }).click()
    await row.getByText("off", { exact: true }).waitFor({ state: "detached" })
    await row.getByRole("button", { name: "Ask again: fruits" }).click()
    await row.getByText("2 tools").waitFor()
    assert.equal(await row.getByText("Not working").count(), 0, "the key has stayed")
    await remove(v, row, "fruits")
    await at.close()
    await v.page.keyboard.press("Escape")
  },
}

export const mock = {
  "MCP servers are added as other programs write them, their tools are listed, and they are removed": async (v) => {
    const page = await toolsOf(v)
    await page.getByText("There are no MCP servers yet.").waitFor()
    await page.getByRole("button", { name: "Add a server" }).click()
    const pasted = page.getByLabel("Paste a configuration")
    const fill = page.getByRole("button", { name: "Fill in" })
    await pasted.fill("npx -y fruits")
    await fill.click()
    await page.getByText("This is no JSON.").waitFor()
    await pasted.fill(JSON.stringify({ mcpServers: { Fruits: { command: "npx", args: ["-y", "fruits"], env: { KEY: SECRET } } } }))
    await fill.click()
    assert.equal(await pasted.inputValue(), "", "the secret is not left where everybody reads it")
    assert.deepEqual([await page.getByLabel("Name", { exact: true }).first().inputValue(), await page.getByLabel("Arguments").inputValue()], ["fruits", "-y\nfruits"])
    await v.inspect("230-mcp-form")
    await page.getByRole("button", { name: "Save" }).click()
    const row = page.getByRole("listitem", { name: "fruits (your own)" })
    await listsTools(row, "fruits")
    await row.getByText("given: KEY").waitFor()
    await holdsNone(v)
    await v.inspect("231-mcp-servers")
    await v.page.setViewportSize(phone)
    await v.inspect("231-mcp-servers-phone")
    await v.page.setViewportSize(desk)

    await page.getByRole("button", { name: "Add a server" }).click()
    await pasted.fill(JSON.stringify({ mcpServers: { fruits: { url: "https://fruits.example" }, nuts: { url: "https://nowhere.example" } } }))
    await fill.click()
    await page.getByLabel("Whose").selectOption({ label: "Shared with all users" })
    await page.getByRole("button", { name: "Add these 2 servers" }).click()
    const nuts = page.getByRole("listitem", { name: "nuts (the installation's)" })
    await nuts.getByText("Not working: the MCP server nuts cannot be used: nobody answers there").waitFor()
    const shared = page.getByRole("listitem", { name: "fruits (the installation's)" })
    await shared.getByText("replaced by yours").waitFor()
    await remove(v, shared, "fruits")
    await remove(v, nuts, "nuts")
    await remove(v, row, "fruits")
    await page.getByText("There are no MCP servers yet.").waitFor()
    await v.page.keyboard.press("Escape")
  },

  "a server that wants an account is connected from its row, and its provider is no setting of the installation": async (v) => {
    const page = await toolsOf(v)
    await page.getByRole("button", { name: "Add a server" }).click()
    await page.getByLabel("Paste a configuration").fill(JSON.stringify({ mcpServers: { tracker: { url: "https://guarded.example/mcp" } } }))
    await page.getByRole("button", { name: "Fill in" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    const row = page.getByRole("listitem", { name: "tracker (your own)" })
    await row.getByText("it wants an account").waitFor()
    const connect = row.getByRole("button", { name: "Connect an account for tracker" })
    await v.inspect("233-mcp-account")
    const [tab] = await Promise.all([v.page.context().waitForEvent("page"), connect.click()])
    await tab.waitForURL("**/healthz")
    await tab.close()
    await connect.waitFor({ state: "detached" })
    const { accounts, providers } = await v.api("/api/oauth/accounts")
    assert.deepEqual([accounts.length, providers.length], [1, 1])
    await page.getByRole("button", { name: "Ask again: tracker" }).click()
    await row.getByText("2 tools").waitFor()
    await v.page.keyboard.press("Escape")
    const other = await openSettings(v, "Connected accounts")
    await other.getByRole("listitem", { name: "tracker" }).getByText("lena@example.com").waitFor()
    assert.equal(await other.getByRole("list", { name: "Shared providers" }).getByRole("listitem").count(), 0)
    await v.page.keyboard.press("Escape")
    await call(v, "DELETE", "/api/mcp-servers/tracker?shared=false")
  },

  "what a project's .mcp.json would run is shown to the letter, is used once somebody agrees, and no more once they withdraw": async (v) => {
    const page = await toolsOf(v)
    const row = await projectOf(page)
    await row.getByText("not used: not trusted yet").waitFor()
    await row.getByText("on server").waitFor()
    await row.getByText("Contains hooks (1), servers (3), skills (1), instruction files (1)").waitFor()
    await row.getByText("./.xbot/check.sh", { exact: true }).waitFor()
    const stall = row.getByRole("listitem", { name: "stall" })
    await stall.getByText('node stall.js --say "two words; \\u{202e}no more"', { exact: true }).waitFor()
    await stall.getByText('NODE_OPTIONS="--require ./first.js"', { exact: true }).waitFor()
    const prices = row.getByRole("listitem", { name: "prices" })
    await prices.getByText("https://prices.example/mcp", { exact: true }).waitFor()
    await prices.getByText("Authorization", { exact: true }).waitFor()
    await row.getByText("Not working: it wants ${HOME}").waitFor()
    await v.inspect("234-mcp-project")
    await v.page.setViewportSize(phone)
    await v.inspect("234-mcp-project-phone")
    await v.page.setViewportSize(desk)
    await row.getByRole("button", { name: /^Agree to the contents of / }).click()
    await row.getByText("used in this folder", { exact: true }).waitFor()
    await stall.getByText("2 tools").waitFor()
    assert.equal(await row.getByRole("button", { name: /^Agree/ }).count(), 0)
    assert.equal((await v.api("/api/mcp-projects")).projects[0].state, "agreed")
    await row.getByRole("button", { name: /^Withdraw agreement to / }).click()
    await row.getByText("not used: not trusted yet").waitFor()
    assert.equal((await v.api("/api/mcp-projects")).projects[0].state, "asks")
    await v.page.keyboard.press("Escape")
  },

  "a .mcp.json that has changed since it was shown is not agreed to, and is shown anew": async (v) => {
    const [now] = (await v.api("/api/mcp-projects")).projects
    const old = { ...now, digest: "0d".repeat(32), servers: [{ name: "stall", command: "node", args: ["old.js"], tools: 0 }] }
    await projectsAre(v, [old])
    const page = await toolsOf(v)
    const row = await projectOf(page)
    await row.getByText("node old.js", { exact: true }).waitFor()
    await v.page.unroute("**/api/mcp-projects")
    await row.getByRole("button", { name: /^Agree to the contents of / }).click()
    await row.getByText("the file .mcp.json has changed meanwhile: look at it again").waitFor()
    await row.getByText("node stall.js").waitFor()
    await row.getByText("not used: not trusted yet").waitFor()
    await v.page.keyboard.press("Escape")
  },

  "who may not agree to a project's servers is told who has to allow it, and a file that cannot be used says why": async (v) => {
    const [now] = (await v.api("/api/mcp-projects")).projects
    const agreed_at = new Date().toISOString()
    await projectsAre(v, [
      { ...now, may_agree: false },
      { ...now, id: 2, folder: "/old", state: "agreed", agreed_at, may_agree: false },
      { ...now, id: 3, folder: "/big", state: "unusable", digest: "", problem: "it has more than 128 kB", servers: [] },
      { ...now, id: 4, folder: "/new", state: "changed", agreed_at },
    ])
    const page = await toolsOf(v)
    const row = await projectOf(page)
    await row.getByText("Ask an administrator: your account may not agree to folders.").waitFor()
    await page.getByRole("listitem", { name: "/old" }).getByText("not used: you agreed, but may no longer").waitFor()
    await page.getByRole("listitem", { name: "/big" }).getByText("Not working: it has more than 128 kB").waitFor()
    await page.getByRole("listitem", { name: "/new" }).getByText("changed since you agreed").waitFor()
    assert.deepEqual(await page.getByRole("button", { name: /^Agree to/ }).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))), ["Agree to the contents of /new"])
    await v.inspect("235-mcp-projects")
    await projectsAre(v, [])
    await toolsOf(v)
    await page.getByText("There are no MCP servers yet.").waitFor()
    assert.equal(await page.getByRole("heading", { name: "Folders", exact: true }).count(), 0)
    await v.page.unroute("**/api/mcp-projects")
    await v.page.keyboard.press("Escape")
  },

  "servers of mcp.json stand in the list, with where they come from, and nobody changes them there": async (v) => {
    const file = {
      id: 99, name: "tracker", shared: true, from_file: true, transport: "http", url: "https://mcp.example/mcp", env_names: [], header_names: ["Authorization"], enabled: true, revision: 1,
      created_at: new Date().toISOString(), changed_at: new Date().toISOString(), changed_by: "", tools: 0, prompts: 0, resources: 0,
    }
    await v.page.route("**/api/mcp-servers", (route) => route.fulfill({ json: { servers: [file] } }))
    const page = await toolsOf(v)
    const row = page.getByRole("listitem", { name: "tracker (the installation's)" })
    await row.getByText("from mcp.json").waitFor()
    await row.getByRole("button", { name: "Ask again: tracker" }).waitFor()
    for (const name of ["Edit tracker", "Switch off tracker", "Remove tracker"]) assert.equal(await row.getByRole("button", { name }).count(), 0, name)
    await v.inspect("232-mcp-file")
    await v.page.unroute("**/api/mcp-servers")
    await v.page.keyboard.press("Escape")
  },
}
