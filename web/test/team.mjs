// What must be seen of subagents and the chats among them. Each name is a claim.
import assert from "node:assert/strict"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const ROOT = "agent:main:web:thread:release"

const open = async (v, key) => {
  await v.page.goto(`${v.url}/c/${encodeURIComponent(key)}`)
  await v.ready()
}

/** The details, open beside the conversation. */
const details = async (v) => {
  const panel = v.page.getByRole("complementary", { name: "Details" })
  if (!(await panel.isVisible())) await v.page.getByRole("button", { name: "Details", exact: true }).last().click()
  await panel.waitFor()
  return panel
}

const tree = (panel) => panel.getByRole("region", { name: "Subagents" })
const chats = (panel) => panel.getByRole("region", { name: "Group chats" })

/** Says the page in a language by hand, and does something in it. */
const inChinese = async (v, look) => {
  await v.page.evaluate(() => localStorage.setItem("xbot.language", "zh"))
  await v.page.reload()
  await v.ready()
  await look()
  await v.page.evaluate(() => localStorage.setItem("xbot.language", "en"))
  await v.page.reload()
  await v.ready()
}

export const mock = {
  "the tree of subagents says what each does, and follows it": async (v, { mock }) => {
    await open(v, ROOT)
    const agents = tree(await details(v))
    await agents.getByRole("link", { name: /^explorer done/ }).waitFor()
    await agents.getByRole("link", { name: /^tester asks for permission/ }).waitFor()
    await agents.getByRole("link", { name: /^researcher about to begin in the background/ }).waitFor()
    await agents.getByRole("link", { name: /^tester failed/ }).waitFor()
    await agents.getByRole("link", { name: /^reviewer waits for more group chat/ }).waitFor()
    await agents.scrollIntoViewIfNeeded()
    await v.inspect("170-subagents")
    mock.team.change("docs", { state: "running", turn_id: "t-docs", tool: "WebFetch · release notes" })
    await agents.getByRole("link", { name: /^researcher working in the background.*release notes/ }).waitFor()
    await agents.getByRole("button", { name: "Stop researcher" }).click()
    await agents.getByRole("link", { name: /^researcher stopped/ }).waitFor()
    await inChinese(v, async () => {
      await v.page.getByRole("button", { name: "详情", exact: true }).last().click()
      await v.page.getByRole("region", { name: "子代理" }).getByRole("link", { name: /请求许可/ }).waitFor()
      await v.page.getByRole("region", { name: "子代理" }).scrollIntoViewIfNeeded()
      await v.inspect("171-subagents-chinese")
    })
  },

  "a subagent's conversation opens from the tree, and leads back step by step": async (v) => {
    await open(v, ROOT)
    const panel = await details(v)
    await tree(panel).getByRole("link", { name: /^tester asks for permission/ }).click()
    await v.sees("Subagent tester, asked by")
    await tree(panel).locator("[aria-current=page]").filter({ hasText: "tester" }).waitFor()
    await v.inspect("172-subagent")
    await v.main.getByRole("link", { name: "coder:importer" }).click()
    await v.sees("Subagent coder:importer, asked by")
    await v.main.getByRole("link", { name: "Ship the new importer" }).click()
    await v.page.waitForURL(`**/c/${ROOT}`)
    await v.main.getByText("Three are at work").waitFor()
  },

  "on a phone the tree slides over, and a conversation that it opens shows the way back": async (v) => {
    await v.page.setViewportSize(phone)
    await open(v, ROOT)
    await v.page.getByRole("button", { name: "Details", exact: true }).last().click()
    const sheet = v.page.getByRole("dialog", { name: "Details" })
    await tree(sheet).scrollIntoViewIfNeeded()
    await v.inspect("173-subagents-phone")
    await chats(sheet).scrollIntoViewIfNeeded()
    await v.shot("173-groups-phone")
    await tree(sheet).getByRole("link", { name: /^explorer done/ }).click()
    await sheet.waitFor({ state: "detached" })
    await v.sees("Subagent explorer, asked by")
    await v.inspect("174-subagent-phone")
    await v.main.getByRole("link", { name: "Ship the new importer" }).click()
    await v.page.waitForURL(`**/c/${ROOT}`)
    await v.page.setViewportSize(desk)
  },

  "what works in the background stands above the composer, leads to its conversation and can be stopped": async (v, { mock }) => {
    mock.team.change("docs", { state: "running", turn_id: "t-docs" })
    await open(v, ROOT)
    await v.main.getByRole("button", { name: /^3 tasks in the background/ }).click()
    await v.main.getByRole("link", { name: /^watch the build working · 2 min.* job$/ }).waitFor()
    await v.main.getByRole("link", { name: /^researcher working · .* subagent · Read the release notes/ }).waitFor()
    await v.inspect("178-works")
    await v.main.getByRole("button", { name: /^Which name should the new package have\? under way .* group chat$/ }).click()
    await chats(v.page.getByRole("complementary", { name: "Details" })).waitFor()
    await v.page.keyboard.press("Control+.")
    await v.page.setViewportSize(phone)
    await v.inspect("179-works-phone")
    await v.page.setViewportSize(desk)
    await v.main.getByRole("button", { name: "Stop watch the build" }).click()
    await v.main.getByRole("button", { name: /^2 tasks in the background/ }).waitFor()
    mock.team.change("docs", { state: "queued", turn_id: undefined, tool: undefined })
    await v.main.getByRole("link", { name: /^researcher about to begin/ }).waitFor()
    assert.equal(await v.main.getByRole("button", { name: "Stop researcher" }).count(), 0, "there is nothing to stop yet")
    await v.main.getByRole("link", { name: /^researcher about/ }).click()
    await v.sees("Subagent researcher, asked by")
    await inChinese(v, async () => {
      await v.page.goto(`${v.url}/c/${encodeURIComponent(ROOT)}`)
      await v.main.getByRole("button", { name: /^2 个后台任务/ }).click()
      await v.main.getByRole("link", { name: /^researcher 即将开始 .*子代理/ }).waitFor()
      await v.inspect("178-works-chinese")
    })
  },

  "a subagent's own conversation follows the tree that it is part of": async (v, { mock }) => {
    await open(v, "agent:main:subagent:explore")
    const agents = tree(await details(v))
    await agents.getByRole("link", { name: /^planner:release waits for more/ }).waitFor()
    const looks = []
    v.page.on("request", (request) => request.url().endsWith("/subagents") && looks.push(request.url()))
    mock.team.change("plan", { state: "running", turn_id: "t-plan" })
    await agents.getByRole("link", { name: /^planner:release working/ }).waitFor()
    assert.ok(looks.length <= 2, `one event is one look, or two with that of every 20 s, not ${looks.length}`)
    mock.team.change("plan", { state: "idle", turn_id: undefined })
    await agents.getByRole("link", { name: /^planner:release waits for more/ }).waitFor()
    await v.page.keyboard.press("Control+.")
  },

  "a group chat is read as it goes on, and ended by hand": async (v, { mock }) => {
    await open(v, ROOT)
    const panel = await details(v)
    const chat = chats(panel)
    await chat.getByText("tester is speaking…").waitFor()
    await chat.getByText("nothing to add").waitFor()
    await chat.scrollIntoViewIfNeeded()
    await v.inspect("175-group")
    mock.team.change("m2", { state: "idle", turn_id: undefined })
    mock.team.say("tester", "The tests say intake, too.")
    await chat.getByText("The tests say intake, too.").waitFor()
    assert.equal(await chat.getByText("is speaking…").count(), 0)
    await chat.getByRole("link", { name: "reviewer" }).click()
    await v.sees("Subagent reviewer, asked by")
    await v.main.getByRole("link", { name: "Ship the new importer" }).click()
    await chat.getByRole("button", { name: "End this chat" }).click()
    await chat.getByText("ended manually").waitFor()
    await v.page.keyboard.press("Control+.")
  },
}

/** What a server does whose scripted model hands work on. */
export const server = {
  "work that is handed on shows in the tree, and its conversation leads back": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask('call SubAgent {"action":"spawn","role":"explorer","task":"say nobody calls it"}\nsay handed on', "handed on")
    const panel = await details(v)
    await tree(panel).getByRole("link", { name: /^explorer done/ }).click()
    await v.sees("Subagent explorer, asked by")
    await v.sees("nobody calls it")
    assert.equal(await v.main.getByText(/^Not delivered/).count(), 0, "its answer is for who asked it, not for a channel")
    await v.inspect("176-subagent-server")
    await v.main.getByRole("link", { name: /SubAgent/ }).click()
    await v.sees("handed on")
    await v.page.keyboard.press("Control+.")
  },

  "a subagent in the background stands above the composer until it is stopped": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask('call SubAgent {"action":"spawn","role":"explorer","task":"stream 900 1s","background":true}\nsay handed on', "handed on")
    await v.main.getByRole("button", { name: /^1 task in the background explorer/ }).click()
    await v.main.getByRole("link", { name: /^explorer working .* subagent/ }).waitFor()
    await v.inspect("178-works-server")
    await v.main.getByRole("button", { name: "Stop explorer" }).click()
    await v.main.getByRole("button", { name: /in the background/ }).waitFor({ state: "detached" })
    await v.sees("was stopped")
  },

  "a group chat is read line by line, and its end begins a turn": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.begin('call CreateChat {"type":"group","members":["coder","reviewer"],"max_rounds":2,"topic":"say intake is a good name"}\nsay convened')
    const panel = await details(v)
    const chat = chats(panel)
    await chat.getByText("all rounds are over").waitFor()
    await chat.locator("summary").click()
    const lines = chat.getByRole("list", { name: "Messages" }).getByRole("listitem")
    await lines.nth(3).waitFor()
    assert.equal(await lines.filter({ hasText: "intake is a good name" }).count(), 4)
    await v.inspect("177-group-server")
    await chat.getByRole("link", { name: "reviewer" }).first().click()
    await v.sees("Subagent reviewer, asked by")
    await v.page.keyboard.press("Control+.")
  },
}
