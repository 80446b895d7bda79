// A program with the official client of the Model Context Protocol. e2e starts it with XBOT_TEST_URL (the address of the server's tools) and
// XBOT_TEST_TOKEN. Each argument is a call, {"tool": …, "arguments": {…}}. It prints the names of the tools, whether progress was told, and
// what each call has answered, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const { XBOT_TEST_URL: url, XBOT_TEST_TOKEN: token } = process.env

const client = new Client({ name: "e2e", version: "1.0.0" })
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
const { tools } = await client.listTools()
const told = []
const answers = []
for (const text of process.argv.slice(2)) {
  const { tool, arguments: given } = JSON.parse(text)
  const options = { onprogress: (p) => told.push(p.message), resetTimeoutOnProgress: true, timeout: 60_000, maxTotalTimeout: 600_000 }
  const got = await client.callTool({ name: tool, arguments: given }, undefined, options)
  if (got.isError) throw new Error(got.content[0].text)
  answers.push(got.structuredContent)
}
await client.close()
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), told, answers }))
