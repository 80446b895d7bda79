// What the first page asks the administrator of a fresh installation: what tools may do on the server's own host. Each name is a claim.
import assert from "node:assert/strict"

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 860 }

const card = (v) => v.main.getByRole("region", { name: "Connect a model" })
const question = (v) => card(v).getByRole("group", { name: "Default permission mode on this server" })
const read = (v) => v.api("/api/policy/presets")

const home = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}

const choose = async (v, name, status = 200) => {
  const answered = v.page.waitForResponse((response) => response.request().method() === "PUT" && response.url().endsWith("/api/policy/presets"))
  await question(v).getByRole("radio", { name }).click()
  assert.equal((await answered).status(), status)
}

/**
 * The question is answered on the first page, on which nobody has answered it yet; changeMeanwhile makes a new version of the policy
 * past the page. Ends with the card put away.
 */
export async function answersAboutTheHost(v, changeMeanwhile) {
  await question(v).waitFor()
  assert.equal(await question(v).getByRole("radio", { checked: true }).count(), 0, "nobody has chosen")
  await question(v).getByText("Default: Auto.").waitFor()
  for (const meaning of [/runs no commands, regardless of rules/, /asked before a command runs/, /without a question, within the sandbox/]) await question(v).getByText(meaning).waitFor()
  await v.inspect("220-host-preset")
  await v.page.setViewportSize(PHONE)
  await v.inspect("220-host-preset-phone")
  await v.page.setViewportSize(DESK)

  await changeMeanwhile()
  await choose(v, /^Read only/, 409)
  await question(v).getByRole("alert").filter({ hasText: "changed meanwhile" }).waitFor()
  await v.inspect("221-host-preset-failed")
  assert.equal(await question(v).getByRole("radio", { checked: true }).count(), 0, "what was refused is not shown as chosen")
  assert.equal((await read(v)).administrators, "auto")

  await choose(v, /^Ask/)
  await question(v).getByRole("status").filter({ hasText: "Saved: Ask." }).waitFor()
  assert.equal(await question(v).getByRole("alert").count(), 0)
  assert.ok(await question(v).getByRole("radio", { name: /^Ask/ }).isChecked())
  await v.inspect("222-host-preset-saved")
  const answers = []
  v.page.on("response", (response) => response.request().method() === "PUT" && answers.push(response.status()))
  const both = v.page.waitForEvent("response", () => answers.length === 2)
  await Promise.all(["ArrowDown", "ArrowUp"].map((key) => v.page.keyboard.press(key))) // faster than the page draws
  await both
  assert.deepEqual(answers, [200, 200])
  await question(v).getByRole("status").filter({ hasText: "Saved: Ask." }).waitFor()
  const { administrators, others } = await read(v)
  assert.deepEqual([administrators, others], ["ask", "ask"])

  await home(v)
  await card(v).getByText(/^On this server's own machine: Ask\. You are asked before a command runs/).waitFor()
  assert.equal(await question(v).count(), 0, "it is asked once")
  await v.inspect("223-host-preset-answered")
  await card(v).getByRole("button", { name: "Continue with the demo" }).click()
  await card(v).waitFor({ state: "detached" })
  await home(v)
  assert.equal(await card(v).count(), 0, "it stays away")
}

const putBack = (v) =>
  v.page.evaluate(() => {
    for (const name of Object.keys(localStorage)) if (name.startsWith("xbot.demo.")) localStorage.removeItem(name)
  })

export const mock = {
  "the first page asks an administrator once what tools may do on the server's own machine": async (v, { mock }) => {
    mock.permissions.unchoose()
    await putBack(v)
    await home(v)
    await answersAboutTheHost(v, () => mock.permissions.unchoose())
    mock.permissions.unchoose()
    await putBack(v)
    await home(v)
    await question(v).waitFor()
  },

  "a member is not asked what tools may do on the server's own machine": async (v) => {
    const asked = []
    v.page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await v.page.route("**/api/me", async (route) => {
      const answer = await route.fetch()
      const me = await answer.json()
      await route.fulfill({ response: answer, json: { ...me, user: { ...me.user, role: "member" } } })
    })
    await home(v)
    await card(v).getByText("Ask an administrator").waitFor()
    assert.equal(await question(v).count(), 0)
    assert.ok(!asked.includes("/api/policy/presets"), "nor is it read, which a member may not")
    await v.page.unroute("**/api/me")
    await home(v)
  },
}
