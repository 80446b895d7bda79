// Tests that model output cannot block the page: diagrams, formulas, Markdown and code.
import assert from "node:assert/strict"

import { tell } from "../mock/seed.mjs"
import { Session } from "../mock/session.mjs"

const SLOW = "xbot.diagrams.slow"
const fence = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``

/** Adds a conversation with one answer and returns where the page shows it. */
function answered(mock, id, ...texts) {
  const session = new Session(`agent:main:web:thread:${id}`, { title: id })
  for (const text of texts) tell(session, "What is it?", [{ text }])
  mock.add(session)
  return `${mock.url}/c/${encodeURIComponent(session.key)}`
}

/** Counts ten times a second in the page, and records the longest pause. */
async function watch(page) {
  await page.evaluate(() => {
    let last = performance.now()
    window.pause = 0
    setInterval(() => {
      window.pause = Math.max(window.pause, performance.now() - last)
      last = performance.now()
    }, 100)
  })
}

/** Returns the longest pause of the page since `watch`, in milliseconds. */
const pause = (page) => page.evaluate(() => window.pause)

/** Clicks a menu and checks that the page reacts. */
async function answersClicks(v) {
  await v.page.getByRole("button", { name: /^Account and settings/ }).click()
  await v.page.getByRole("menu").waitFor()
  await v.page.keyboard.press("Escape")
  await v.page.getByRole("menu").waitFor({ state: "detached" })
}

/** Makes the frame that draws diagrams hang at the first one. */
async function hang(page) {
  const body = "addEventListener('message', () => { for (;;); }); parent.postMessage('ready', '*')"
  await page.route(/\/assets\/diagram-[^/]*\.js$/, (route) => route.fulfill({ contentType: "text/javascript", headers: { "Access-Control-Allow-Origin": "*" }, body }))
}

const slow = (page) => page.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? "[]").length, SLOW)

const DIAGRAM = fence("mermaid", "graph LR\naccTitle: Two steps\nA --> B")

export const both = {
  "a diagram is drawn in a frame of its own, which the server lets do so": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await v.ask("say ```mermaid\\ngraph LR\\naccTitle: A frame\\nA --> B\\n```\\n\\nDrawn beside.", "Drawn beside.")
    await v.turn.getByRole("img", { name: "A frame" }).waitFor()
    assert.equal(await v.page.locator("iframe[sandbox='allow-scripts']").count(), 1)
  },
}

export const mock = {
  "a diagram that would take long is not drawn, and its source can be read and copied": async (v, { mock }) => {
    await v.page.goto(answered(mock, "large", fence("mermaid", "block-beta\n  space:99999999")))
    await v.sees("This diagram is too large to draw.")
    await v.main.locator("pre", { hasText: "space:99999999" }).waitFor()
    await v.main.getByRole("button", { name: "Copy code" }).waitFor()
    assert.equal(await v.page.locator("iframe").count(), 0, "nothing is asked to draw it")
    await v.inspect("heavy-large")
  },

  "the page answers while a diagram takes too long, which is drawn again only when asked": async (v, { mock }) => {
    const place = answered(mock, "slow", DIAGRAM)
    await hang(v.page)
    await v.page.goto(place)
    await v.page.locator("iframe").waitFor({ state: "attached" })
    await watch(v.page)
    await answersClicks(v)
    await v.sees("This diagram took too long to draw.")
    assert.ok((await pause(v.page)) < 2000, `the page stood still for ${await pause(v.page)} ms`)
    assert.equal(await v.page.locator("iframe").count(), 0, "what hangs is removed")
    assert.equal(await slow(v.page), 1)
    await v.inspect("heavy-slow")

    await v.page.unrouteAll()
    await v.page.reload()
    await v.sees("This diagram took too long to draw.")
    assert.equal(await v.page.locator("iframe").count(), 0, "it is not tried again")
    await v.page.getByRole("button", { name: "Draw anyway" }).click()
    await v.main.getByRole("img", { name: "Two steps" }).waitFor()
    assert.equal(await slow(v.page), 0)
  },

  "a diagram in whose drawing the tab was killed is not drawn at the next opening": async (v, { mock }) => {
    const place = answered(mock, "killed", fence("mermaid", "graph LR\naccTitle: Killed\nA --> B"))
    const tab = await v.page.context().newPage()
    await hang(tab)
    await tab.goto(place)
    await tab.waitForFunction((name) => JSON.parse(localStorage.getItem(name) ?? "[]").length === 1, SLOW)
    const crashed = tab.waitForEvent("crash")
    void tab.goto("chrome://crash").catch(() => undefined) // there is no page afterwards
    await crashed
    await tab.close()

    await v.page.goto(place)
    await v.sees("This diagram took too long to draw.")
    await v.page.getByRole("button", { name: "Draw anyway" }).click()
    await v.main.getByRole("img", { name: "Killed" }).waitFor()
  },

  "a tab that is closed while it draws leaves nothing behind": async (v, { mock }) => {
    const place = answered(mock, "closed", fence("mermaid", "graph LR\naccTitle: Closed\nA --> B"))
    const tab = await v.page.context().newPage()
    await hang(tab)
    await tab.goto(place)
    await tab.waitForFunction((name) => JSON.parse(localStorage.getItem(name) ?? "[]").length === 1, SLOW)
    await tab.goto(mock.url)
    await tab.close()

    await v.page.goto(place)
    await v.main.getByRole("img", { name: "Closed" }).waitFor()
  },

  // Some of these alone blocked the page for minutes. The rest of the time is the drawing of a million characters on a busy machine.
  "answers that are made to hang the page are shown, and the page answers": async (v, { mock }) => {
    const place = answered(mock, "bombs", ...Object.values(BOMBS), "The last one.")
    await v.page.goto(mock.url)
    await v.ready()
    await watch(v.page)
    await v.page.evaluate((to) => {
      history.pushState(null, "", to)
      dispatchEvent(new PopStateEvent("popstate"))
    }, new URL(place).pathname)
    await v.sees("The last one.")
    await answersClicks(v)
    assert.ok((await pause(v.page)) < 15_000, `the page stood still for ${await pause(v.page)} ms`)
    await v.fits("heavy-bombs")
  },
}

const SIZE = 50_000
const fill = (piece) => piece.repeat(SIZE / piece.length)

/** Answers of fifty thousand characters, more than a million in all, that are slow to parse as Markdown, or to draw. */
const BOMBS = {
  quotes: `${">".repeat(SIZE / 2)}a\n${"b\n".repeat(SIZE / 4)}`,
  lists: `${fill("- ")}a`,
  emphasis: fill("*a **a "),
  mixed: fill("*a_ "),
  brackets: fill("["),
  links: fill("[a](b"),
  pictures: fill("!["),
  backticks: fill("`a ``b "),
  html: fill("<a "),
  references: `[a]: b\n\n${fill("[a] ")}`,
  labels: fill("[\n"),
  cells: `${"|a".repeat(2000)}|\n${"|-".repeat(2000)}|\n${"|\n".repeat(SIZE / 4)}`,
  displays: fill(String.raw`\[`),
  inline: fill(String.raw`\(`),
  dollars: fill("$a "),
  formula: `$$${"\\frac{".repeat(2000)}x${"}{y}".repeat(2000)}$$`,
  accents: `$$${"\\hat{".repeat(40)}x${"}^2".repeat(40)}$$`,
  macros: `$$\\def\\a{${"x".repeat(5000)}}${"\\a".repeat(1000)}$$`,
  rule: "$$\\rule{99999em}{99999em}$$",
  code: fence("js", fill("/".repeat(99) + "a")),
  json: fence("json", fill('{"a":[')),
  css: fence("css", fill("a{b:c;")),
  markdown: fence("markdown", fill("*a **a ")),
  zalgo: fill("a\u0300\u0301\u0302\u0303"),
  bidi: fill("\u202eab\u202c "),
  families: "👨\u200d👩\u200d👧\u200d".repeat(5000),
  word: fill("a"),
}
