import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import axe from "axe-core"

/** Milliseconds that anything in the page may take, a whole scripted turn included. */
export const PATIENCE = 30_000

const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }

/** Those of them that look at colours: all that another colour scheme can break. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] }

/** Whether pictures are taken of states that are as they should be. They take as long as the claims themselves. */
const PICTURES = process.env.XBOT_TEST_ARTIFACTS !== undefined

/** A person at the page: does what people do and looks at what people see. */
export class Visitor {
  /** What the browser complained of; a test ends by asserting that it is empty. */
  complaints = []

  constructor(page, url, artifacts) {
    this.page = page
    this.url = url
    this.artifacts = artifacts
    page.setDefaultTimeout(PATIENCE)
    page.on("pageerror", (error) => this.complaints.push(`error in the page: ${error.message}`))
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/i.test(message.text())) this.complaints.push(message.text())
    })
    page.on("request", (request) => {
      const address = new URL(request.url())
      if (address.protocol.startsWith("http") && address.origin !== new URL(url).origin) this.complaints.push(`asked elsewhere: ${address}`)
    })
  }

  get box() {
    return this.page.locator("#message")
  }

  get main() {
    return this.page.getByRole("main")
  }

  /** The last turn. */
  get turn() {
    return this.page.getByRole("article").last()
  }

  /** Waits until the editor has taken over from the plain text area. */
  async ready() {
    await this.page.locator("#message.tiptap").waitFor()
  }

  async write(text) {
    await this.box.click()
    for (const [n, line] of text.split("\n").entries()) {
      if (n > 0) await this.page.keyboard.press("Shift+Enter")
      await this.page.keyboard.insertText(line)
    }
  }

  /** Takes out what stands in the box, by keyboard: the editor hears late of a selection that a script makes. */
  async clear() {
    await this.box.click()
    await this.page.keyboard.press("ControlOrMeta+a")
    await this.page.keyboard.press("Delete")
    await this.page.waitForFunction(() => document.querySelector("#message")?.textContent === "")
  }

  /** Writes a message and sends it by keyboard. */
  async send(text) {
    await this.write(text)
    await this.page.keyboard.press("Enter")
  }

  /** Sends a message and waits until its turn is the last one. */
  async begin(text) {
    await this.send(text)
    await this.turn.filter({ hasText: text.split("\n").at(-1) }).waitFor()
  }

  /** Waits until a text is in the conversation. */
  async sees(text, where = this.main) {
    await where.getByText(text).last().waitFor()
  }

  /** Sends a message and waits until it is answered. */
  async ask(text, answer) {
    await this.begin(text)
    await this.sees(answer, this.turn)
    await this.sees("Answered", this.turn)
  }

  /** How often a text stands in the conversation; its title may be the same text and does not count. */
  async timesAsked(text) {
    return this.main.getByText(text, { exact: true }).and(this.page.locator(":not(h1)")).count()
  }

  /** Takes the picture of a state, for people who look at them: where a folder is named for them. */
  async shot(name) {
    if (PICTURES) await this.picture(name)
  }

  async picture(name) {
    await mkdir(this.artifacts, { recursive: true })
    await this.page.screenshot({ path: join(this.artifacts, `${name}.png`) })
  }

  /** Lets axe look at a state in light and dark, and takes its pictures. */
  async inspect(name) {
    for (const colorScheme of PICTURES ? ["dark", "light"] : []) {
      await this.page.emulateMedia({ colorScheme })
      await this.picture(`${name}-${colorScheme}`)
    }
    await this.fits(name)
    await this.isAccessible(`${name}, light`)
    await this.page.emulateMedia({ colorScheme: "dark" })
    await this.isAccessible(`${name}, dark`, COLOURS)
    await this.page.emulateMedia({ colorScheme: "light" })
  }

  async isAccessible(name, rules = RULES) {
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(axe.source)
    const told = await this.page.evaluate(async (runOnly) => {
      const { violations } = await window.axe.run(document, { runOnly, resultTypes: ["violations"] })
      return violations.map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.map((node) => node.html).join("\n    ")}`)
    }, rules)
    assert.deepEqual(told, [], `axe finds fault with ${name}`)
  }

  /** Nothing is wider than the window, once the page has taken its size. */
  async fits(name) {
    await this.page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, undefined, { timeout: 5_000 }).catch(async () => {
      const [width, window] = await this.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      assert.fail(`${name} is ${width} px wide in a window of ${window} px`)
    })
    // What observes its size is drawn again in the frame after that.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  /** Asks the API as this visitor. */
  async api(path) {
    return (await this.page.request.get(`${this.url}${path}`, { headers: await this.headers() })).json()
  }

  /** What the page sends with each request, besides the cookie. */
  async headers() {
    const key = await this.page.evaluate(() => localStorage.getItem("xbot.page"))
    return { "Content-Type": "application/json", Origin: this.url, "X-Xbot-Page": key ?? "" }
  }

  /** The text that a link downloads. */
  async download(link) {
    const started = this.page.waitForEvent("download")
    await link.click()
    return readFile(await (await started).path(), "utf8")
  }

  /** Sends a message past the page, as another device would. */
  async say(text) {
    const answer = await this.page.request.post(`${this.url}/api/sessions/${encodeURIComponent(this.key)}/messages`, {
      headers: await this.headers(),
      data: { client_message_id: randomUUID(), text },
    })
    assert.equal(answer.status(), 202)
  }

  /** The last turn, also when others have come after it. */
  async thisTurn() {
    const turns = this.page.getByRole("article")
    return turns.nth((await turns.count()) - 1)
  }

  /**
   * A command that runs until its release, which is a command beside the conversation, and for two seconds at least: a turn
   * looks at what comes only after the first second of a call.
   */
  held() {
    const file = `release-${randomUUID()}`
    return { command: `sleep 2; until [ -e ${file} ]; do sleep 0.1; done; rm ${file}`, release: () => this.say(`!touch ${file}`) }
  }

  /** The key of the open conversation. */
  get key() {
    return decodeURIComponent(new URL(this.page.url()).pathname.slice("/c/".length))
  }

  /** The messages of the open conversation, as the server has them. */
  async transcript() {
    return (await this.api(`/api/sessions/${encodeURIComponent(this.key)}/messages?limit=500`)).messages
  }
}
