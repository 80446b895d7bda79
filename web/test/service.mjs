// What must be seen of the page of a service, against the scripted server of services. Each name is a claim.
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { gzipSync } from "node:zlib"

import { ConsumerServer, garden, KEY, PICTURE } from "../mock/consumers.mjs"
import { hasValue } from "./lib/fields.mjs"
import { foreignPage } from "./lib/framed.mjs"
import { call, visitorAt } from "./lib/others.mjs"

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

/** A server of services, and somebody at its page who has a key (`link`: the address that they open). */
const visit = async (v, claim, { link = `#key=${KEY}`, prepare = () => undefined, elsewhere = false, ...options } = {}) => {
  const server = new ConsumerServer()
  await server.listen()
  prepare(server)
  const guest = await visitorAt(v, server.url, { viewport: desk, serviceWorkers: "block", ...options })
  try {
    if (link !== undefined) await guest.page.goto(server.page + link)
    await claim(guest, server)
    if (!elsewhere) assert.deepEqual(guest.complaints, [], "the browser complained")
  } catch (error) {
    await guest.picture("failure-service")
    throw error
  } finally {
    await guest.page.context().close()
    await server.close()
  }
}

const ask = async (guest, text) => {
  await guest.page.locator("#message").fill(text)
  await guest.page.keyboard.press("Enter")
}

/** A text of the last answer. */
const said = (guest, text) => guest.turn.locator(".prose").getByText(text)

/** The last answer says this, and is done. */
const answered = async (guest, text) => {
  await said(guest, text).first().waitFor()
  await guest.page.getByRole("button", { name: "Send" }).waitFor()
}

const kept = (guest, name) => guest.page.evaluate((name) => localStorage.getItem(name), `xbot.svc.${garden.service_id}.${name}`)

export const mock = {
  "the page of a service loads 120 kB at most before it can be used, nothing of the page of the house, and its script for other pages 3 kB": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        const loaded = new Map()
        guest.page.on("response", async (response) => {
          const { pathname } = new URL(response.url())
          if (!pathname.startsWith("/api/")) loaded.set(pathname, await response.body())
        })
        await guest.page.goto(`${server.page}#key=${KEY}`)
        await guest.page.locator(".prose strong", { hasText: "plants" }).waitFor()
        await guest.page.waitForLoadState("networkidle")
        const sizes = [...loaded].map(([path, body]) => [path, gzipSync(body, { level: 9 }).length])
        const total = sizes.reduce((sum, [, size]) => sum + size, 0)
        assert.ok(total < 120_000 && total > 40_000, `${total} bytes: ${JSON.stringify(sizes)}`)
        const built = new URL("../dist/index.html", import.meta.url)
        const house = [...(await readFile(built, "utf8")).matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
        assert.ok(house.length > 1)
        assert.deepEqual(house.filter((path) => loaded.has(path)), [])
        assert.ok(gzipSync(await readFile(new URL("../dist/embed.js", import.meta.url))).length < 3_000)
      },
      { link: undefined },
    )
  },

  "a visitor enters the key of a service once, and a link hands it over without leaving it in the address": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        await guest.page.getByRole("heading", { name: garden.service_name }).waitFor()
        assert.equal(await guest.page.title(), garden.service_name)
        await guest.inspect("300-service-key")
        await guest.page.getByLabel("Key", { exact: true }).fill("password1")
        await guest.page.getByRole("button", { name: "Begin" }).click()
        await guest.page.getByRole("alert").filter({ hasText: "not a service key" }).waitFor()
        await guest.page.getByLabel("Key", { exact: true }).fill(KEY.replace("ab12", "ffff"))
        await guest.page.getByRole("button", { name: "Begin" }).click()
        await guest.page.getByRole("alert").filter({ hasText: "This key is invalid" }).waitFor()
        assert.equal(await kept(guest, "key"), null, "a key that is refused is not kept")
        await guest.page.getByLabel("Key", { exact: true }).fill(` ${KEY} `)
        await guest.page.getByRole("button", { name: "Begin" }).click()
        await guest.page.locator("#message").waitFor()
        await guest.page.reload()
        await guest.page.locator("#message").waitFor()
        await guest.inspect("301-service-welcome")
        await guest.page.getByRole("button", { name: "Remove the key" }).click()
        await guest.page.getByLabel("Key", { exact: true }).waitFor()
        assert.equal(await kept(guest, "key"), null)

        await guest.page.goto("about:blank")
        await guest.page.goto(`${server.page}?lang=zh#key=${KEY}`)
        await guest.page.locator("#message").waitFor()
        assert.equal(guest.page.url(), `${server.page}?lang=zh`)
        assert.equal(await kept(guest, "key"), KEY)
        assert.ok(!server.requests.some((request) => request.includes("sk-svc")), "the key stands in no address")
      },
      { link: "" },
    )
  },

  "a link with another key than the visitor's replaces it only when they say so, and Escape keeps theirs": async (v) => {
    await visit(v, async (guest, server) => {
      const other = KEY.replace("ab12", "ffff")
      const dialog = guest.page.getByRole("dialog", { name: "Use the key of this link?" })
      await ask(guest, "Which plants like shade?")
      await guest.turn.locator(".prose").first().waitFor()
      await guest.page.goto(`${server.page}?again#key=${other}`)
      await dialog.waitFor()
      assert.ok(!guest.page.url().includes("sk-svc"), "the key stays in the address")
      assert.equal(await kept(guest, "key"), KEY, "the link replaced the key unasked")
      await guest.inspect("302-service-other-key")
      await guest.page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await guest.page.locator("#message").waitFor()
      assert.equal(await kept(guest, "key"), KEY)
      await guest.page.evaluate((key) => void (location.hash = `key=${key}`), other) // where the page is open
      await dialog.getByRole("button", { name: "Use the link" }).click()
      await dialog.getByRole("alert").filter({ hasText: "This key is invalid" }).waitFor()
      assert.equal(await kept(guest, "key"), KEY, "a key that is refused took the place of one that is good")
      server.keys.set(other, garden.service_id)
      await dialog.getByRole("button", { name: "Use the link" }).click()
      await dialog.waitFor({ state: "detached" })
      assert.equal(await kept(guest, "key"), other)
      await ask(guest, "And which like sun?")
      await guest.turn.locator(".prose").first().waitFor()
    }, { elsewhere: true })
  },

  "an answer of a service is written as it comes, its thinking and steps are folded with their names, and its files are shown": async (v) => {
    await visit(v, async (guest, server) => {
      await guest.page.getByText("plants", { exact: true }).and(guest.page.locator("strong")).waitFor()
      await guest.page.getByRole("button", { name: garden.quick_questions[0] }).click()
      await answered(guest, "Tulips bloom in April and May.")
      assert.match(guest.page.url(), /#c=[0-9a-f]{10}$/)

      await ask(guest, "think Let me look.\nsearch sowing\nsearch nothing\nrestart never mind\nsay # When\\n\\n```js\\nconst week = 1\\n```\\n\\n$x^2$\nwaiting The provider is busy.\nhold\nfile images/bed.png\nfile talk.wav\nfile plan.pdf\nfile data.csv\nsay That is all.")
      await guest.turn.getByText("The provider is busy.", { exact: true }).waitFor()
      await guest.turn.getByRole("button", { name: "3 steps: Thought · web_search" }).waitFor()
      assert.equal(await said(guest, "never mind").count(), 0, "what was void is gone")
      assert.equal(await guest.turn.getByText("Let me look.", { exact: true }).count(), 0, "folded")
      await guest.page.getByRole("button", { name: "Stop the answer" }).waitFor()
      server.release()
      await answered(guest, "That is all.")
      await guest.turn.getByRole("button", { name: /3 steps/ }).click()
      await guest.turn.getByRole("button", { name: "Thought" }).last().click()
      await guest.turn.getByText("Let me look.", { exact: true }).waitFor()
      await guest.turn.getByRole("button", { name: /^web_search.*sowing/ }).click()
      await guest.turn.getByText("Found: sowing").waitFor()
      await guest.turn.getByRole("button", { name: /^web_search.*failed/ }).waitFor()
      await guest.turn.locator("code span[style]", { hasText: "const" }).waitFor()
      await guest.turn.locator(".katex").waitFor()

      const picture = guest.turn.getByRole("img", { name: "bed.png" })
      await picture.waitFor()
      await guest.page.waitForFunction((image) => image.complete && image.naturalWidth === 8, await picture.elementHandle())
      await guest.turn.locator("audio[aria-label='talk.wav']").waitFor()
      const started = guest.page.waitForEvent("download")
      await guest.turn.getByRole("button", { name: "data.csv" }).click()
      assert.equal(await readFile(await (await started).path(), "utf8"), "content of data.csv")
      const tab = guest.page.waitForEvent("popup")
      await guest.turn.getByRole("button", { name: "plan.pdf" }).click()
      const pdf = await tab
      await pdf.waitForURL(/\/files\/plan\.pdf\?token=/).catch(() => undefined) // a Chromium without a PDF viewer saves it
      await pdf.close()
      assert.ok(server.requests.some((request) => /GET .*\/files\/plan\.pdf\?token=/.test(request)))
      await guest.inspect("302-service-answer")

      server.expireTokens()
      const asked = server.requests.filter((request) => request.endsWith("/media-token")).length
      await guest.page.reload()
      await picture.waitFor()
      await guest.page.waitForFunction((image) => image.complete && image.naturalWidth === 8, await picture.elementHandle())
      assert.ok(server.requests.filter((request) => request.endsWith("/media-token")).length > asked, "a token is asked for anew")
      assert.ok(!server.requests.some((request) => request.includes("sk-svc")), "no address holds the key")
    })
  },

  "the arguments of a call show in its folded step while the model writes them, and as the call has them in the end": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, 'write {"query":"never mind\nrestart void\nwrite {"query":"tulips in\nhold\nsearch tulips in May\nsay Found.')
      const step = guest.turn.getByRole("button", { name: /web_search/ })
      await step.waitFor()
      await step.click()
      await guest.turn.getByText('{"query":"tulips in', { exact: true }).waitFor()
      server.release()
      await answered(guest, "Found.")
      await guest.turn.getByText('"query": "tulips in May"').waitFor()
      await guest.turn.getByText("Found: tulips in May").waitFor()
      assert.equal(await guest.turn.getByRole("button", { name: /web_search/ }).count(), 1, "it is one call")
    })
  },

  "a token that has become too old while the page is open is asked for anew, and the file shows": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "file images/a.png")
      await guest.turn.getByRole("img", { name: "a.png" }).waitFor()
      server.expireTokens()
      await ask(guest, "file images/b.png")
      const picture = guest.turn.getByRole("img", { name: "b.png" })
      await picture.waitFor()
      await guest.page.waitForFunction(() => [...document.querySelectorAll("img[alt='b.png']")].some((image) => image.complete && image.naturalWidth === 8))
    })
  },

  "an answer of a service goes on after a reload in the middle, and after the server went away and came back": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say The first half.\nhold\nsay The second half.")
      await said(guest, "The first half.").waitFor()
      await guest.page.reload()
      await said(guest, "The first half.").waitFor()
      server.release()
      await answered(guest, "The second half.")
      assert.equal(await said(guest, "The first half.").count(), 1)

      await ask(guest, "say Before the fall.\nhold\nsay After the fall.")
      await said(guest, "Before the fall.").waitFor()
      await server.kill()
      await guest.page.getByRole("status").filter({ hasText: "The service cannot be reached. Trying again…" }).waitFor()
      await guest.inspect("303-service-away")
      await server.start()
      await guest.page.getByRole("status").filter({ hasText: "cannot be reached" }).waitFor({ state: "detached" })
      await guest.page.getByRole("button", { name: "Stop the answer" }).waitFor()
      server.release()
      await answered(guest, "After the fall.")
      assert.equal(server.asked.length, 2)
    })
  },

  "what a person of the house says to a visitor, who answers now, and what a task brings show at once, also after the server was away": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        const answers = guest.page.getByRole("status").filter({ hasText: "A person is answering now." })
        await ask(guest, "say Ready.")
        await answered(guest, "Ready.")
        await server.waits(1)
        server.take()
        await answers.waitFor({ timeout: 5000 })
        server.say("I am **Ada**.")
        await guest.turn.locator("strong", { hasText: "Ada" }).waitFor({ timeout: 5000 })
        await guest.turn.getByText("From a person", { exact: true }).waitFor()
        await guest.inspect("307-service-person")
        const read = server.requests.filter((request) => /GET .*\/conversations\/\w+$/.test(request)).length
        server.say("Ask me.")
        await said(guest, "Ask me.").waitFor({ timeout: 5000 })
        assert.equal(server.requests.filter((request) => /GET .*\/conversations\/\w+$/.test(request)).length, read, "nothing is read again for it")
        server.take("agent")
        await answers.waitFor({ state: "detached", timeout: 5000 })

        server.task("say The price fell.\nhold\nsay Buy now.")
        await said(guest, "The price fell.").waitFor({ timeout: 5000 })
        const scheduled = guest.page.locator("article").filter({ has: guest.page.getByRole("heading", { name: "Scheduled" }) })
        await scheduled.getByText("The price fell.").waitFor() // it has a turn of its own from its first word on
        assert.equal(await guest.page.locator("article").count(), 2)
        server.release()
        await answered(guest, "Buy now.")
        await guest.inspect("308-service-scheduled")
        server.task("say It rose.")
        await answered(guest, "It rose.")
        assert.equal(await scheduled.count(), 2, "the next one is none of it")

        await server.waits(1)
        await server.kill()
        await server.start()
        await server.waits(1)
        assert.equal(await guest.page.getByText("cannot be reached").count(), 0, "nobody waits for an answer: nothing is said")
        server.say("Still here.")
        await said(guest, "Still here.").waitFor({ timeout: 5000 })
        await guest.page.reload()
        await said(guest, "Still here.").waitFor()
        assert.equal(await said(guest, "Still here.").count(), 1)
        await ask(guest, "say Thanks.")
        await answered(guest, "Thanks.")
      },
      { viewport: phone },
    )
  },

  "a visitor of a service who looks at another tab holds no connection, and finds what was said there on coming back": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say Ready.")
      await answered(guest, "Ready.")
      const becomes = async (state, waiting) => {
        await guest.page.evaluate((state) => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true })
          document.dispatchEvent(new Event("visibilitychange"))
        }, state)
        await server.waits(waiting)
      }
      await becomes("visible", 1)
      await becomes("hidden", 0)
      server.say("While you were away.")
      await becomes("visible", 1)
      await said(guest, "While you were away.").waitFor()
    })
  },

  "a message to a service whose sending is cut arrives once, also when the page is loaded anew meanwhile": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say Ready.")
      await answered(guest, "Ready.")

      server.cutNext = true // the server has it, the page does not hear of it
      await ask(guest, "say Once.")
      await answered(guest, "Once.")
      assert.deepEqual(server.asked, ["say Ready.", "say Once."])
      assert.equal(await guest.page.getByText("say Once.", { exact: true }).and(guest.page.locator("article *")).count(), 1)

      let reached
      const held = new Promise((reach) => (reached = reach))
      server.intercept = (request) => {
        if (request.method !== "POST" || !request.url.endsWith("/chat")) return false
        reached()
        return true // and never answers
      }
      await ask(guest, "say Twice?")
      await held
      server.intercept = () => false
      await guest.page.reload()
      await answered(guest, "Twice?")
      assert.deepEqual(server.asked, ["say Ready.", "say Once.", "say Twice?"])
      assert.equal(await guest.page.locator("article").count(), 3)
      const left = await guest.page.evaluate(() => Object.keys(localStorage).filter((name) => /\.(out|draft)\./.test(name)))
      assert.deepEqual(left, [], "nothing waits to be sent")
    })
  },

  "a message to a service that is sent while the page looks for news is not lost": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say Ready.")
      await answered(guest, "Ready.")
      let go
      const held = new Promise((done) => (go = done))
      server.intercept = async (request) => {
        if (request.method === "GET" && /\/conversations\/\w+$/.test(request.url)) await held
        return false
      }
      const looks = guest.page.waitForRequest(/\/conversations\/\w+$/)
      await guest.page.evaluate(() => {
        const { now } = Date
        Date.now = () => now() + 60_000
        dispatchEvent(new Event("focus"))
      })
      await looks
      await ask(guest, "say Sent meanwhile.")
      await guest.page.getByText("Sending…").waitFor()
      go()
      await answered(guest, "Sent meanwhile.")
      assert.deepEqual(server.asked, ["say Ready.", "say Sent meanwhile."])
    })
  },

  "a message to a service that cannot be sent before the page is loaded anew stands where it was written": async (v) => {
    await visit(v, async (guest, server) => {
      server.intercept = (request) => request.method === "POST" && request.url.endsWith("/conversations") // never answers
      await ask(guest, "say Not lost.")
      await guest.page.getByText("Sending…").waitFor()
      server.intercept = () => false
      await guest.page.reload()
      await hasValue(guest.page.locator("#message"), "say Not lost.")
      await guest.page.locator("#message").press("Enter")
      await answered(guest, "Not lost.")
      assert.deepEqual(server.asked, ["say Not lost."])
    })
  },

  "an answer of a service is stopped, what was written is kept, and a failed one says why": async (v) => {
    await visit(v, async (guest) => {
      await ask(guest, "say This stays.\nhold\nsay This never comes.")
      await said(guest, "This stays.").waitFor()
      await guest.page.getByRole("button", { name: "Stop the answer" }).click()
      await guest.turn.getByText("Stopped. The text so far is kept.").waitFor()
      await said(guest, "This stays.").waitFor()
      assert.equal(await said(guest, "This never comes.").count(), 0)
      await ask(guest, "fail The provider refused.")
      await guest.turn.getByText("This answer failed. The provider refused.").waitFor()
      await guest.inspect("304-service-failed")
    })
  },

  "what a visitor of a service may not do is said in one sentence, with what to do": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say Ready.")
      await answered(guest, "Ready.")
      const refuse = (status, header = {}, detail = "") => {
        server.intercept = (request, response) => {
          if (!request.url.endsWith("/chat")) return false
          response.writeHead(status, { "Content-Type": "application/problem+json", ...header }).end(JSON.stringify({ detail }))
          return true
        }
      }
      refuse(429, { "Retry-After": "3" })
      await ask(guest, "say After the limit.")
      await guest.page.getByText(/The limit of this key is reached\. You can continue in \d s\./).waitFor()
      server.intercept = () => false
      await answered(guest, "After the limit.")

      refuse(429, { "Retry-After": "7200" })
      await ask(guest, "say Tomorrow.")
      await guest.page.getByText(/The limit of this key is reached\. You can continue at \d\d:\d\d\./).waitFor()
      assert.equal(await guest.page.locator("#message").inputValue(), "say Tomorrow.", "what was not sent is where it was written")
      await guest.inspect("305-service-limit")
      refuse(413)
      await guest.page.locator("#message").press("Enter")
      await guest.page.getByText("This is too large. Send a shorter message, or smaller files.").waitFor()
      refuse(400, {}, "the message is empty")
      await guest.page.locator("#message").press("Enter")
      await guest.page.getByText("The service rejected this: the message is empty.").waitFor()
      server.intercept = () => false
      await guest.page.locator("#message").press("Enter")
      await answered(guest, "Tomorrow.")
      assert.deepEqual(server.asked, ["say Ready.", "say After the limit.", "say Tomorrow."])

      server.conversations.clear()
      await guest.page.reload()
      await guest.page.getByText("This conversation no longer exists. Start a new one.").waitFor()
      await guest.page.getByRole("alert").getByRole("button", { name: "New conversation" }).click()
      await guest.page.getByRole("button", { name: garden.quick_questions[0] }).waitFor()

      server.services.get(garden.service_id).published = false
      await ask(guest, "say Withdrawn.")
      await guest.page.getByRole("heading", { name: "Service unavailable" }).waitFor()
      await guest.inspect("306-service-withdrawn")
      server.services.get(garden.service_id).published = true
      await guest.page.getByRole("button", { name: "Try again" }).click()
      await guest.page.locator("#message").waitFor()
      await hasValue(guest.page.locator("#message"), "say Withdrawn.")

      server.keys.clear()
      await guest.page.locator("#message").press("Enter")
      await guest.page.getByRole("alert").filter({ hasText: "This key is invalid or no longer valid." }).waitFor()
      assert.equal(await kept(guest, "key"), null, "a revoked key is not kept")
    })
  },

  "hostile answers, names and questions of a service are text: nothing runs, nothing is loaded, nothing leads where it should not": async (v) => {
    const hostile = "</script><script>window.pwned=1</script><!--"
    await visit(
      v,
      async (guest, server) => {
        assert.equal(await guest.page.title(), hostile)
        await guest.page.getByRole("button", { name: hostile }).waitFor()
        await guest.page.getByRole("heading", { name: hostile }).waitFor()
        await ask(
          guest,
          "say <img src=x onerror=window.pwned=1><script>window.pwned=1</script><iframe src=/>\\n\\n[click](javascript:window.pwned=1) [data](data:text/html,x) [out](/api/logout) [up](../../service) [good](https://good.example/)\\n\\n" +
            "![pixel](https://evil.example/pixel.png) ![pixel](//evil.example/p.png) ![up](../../../service) ![data](data:image/png;base64,AAAA) <<FILE:../../x.png>> <<FILE:https://evil.example/a.png>> <<FILE:/generated/%2e%2e/%2e%2e/a.png>>\\n\\nThe end.",
        )
        await answered(guest, "The end.")
        await guest.turn.getByText("<img src=x onerror=window.pwned=1>").first().waitFor()
        assert.equal(await guest.page.evaluate(() => window.pwned), undefined)
        assert.equal(await guest.turn.locator("img, iframe, script").count(), 0)
        const links = await guest.turn.getByRole("link").evaluateAll((all) => all.map((link) => [link.href, link.target, link.rel]))
        for (const [href, target, rel] of links) {
          assert.match(href, /^https:\/\/(good|evil)\.example\//)
          assert.deepEqual([target, rel.split(" ").includes("noopener")], ["_blank", true])
        }
        await guest.turn.getByRole("link", { name: "good" }).waitFor()
        await guest.turn.getByRole("link", { name: "Picture elsewhere: pixel" }).first().waitFor()
        assert.ok(!server.requests.some((request) => request.includes("/logout") || request.includes("evil")))
        assert.ok(!server.requests.some((request) => /files\/.*\.\./.test(request)))
      },
      {
        prepare: ({ services }) => services.set(garden.service_id, { ...services.get(garden.service_id), service_name: hostile, service_desc: hostile, welcome_message: `${hostile} ![w](https://evil.example/w.png)`, quick_questions: [hostile] }),
      },
    )
  },

  "the conversations of a service in this browser are listed, named by their first message, and deleted after a question; drafts are kept": async (v) => {
    await visit(v, async (guest, server) => {
      const list = guest.page.getByRole("navigation", { name: "Conversations" })
      await ask(guest, "say The first conversation of two.")
      await answered(guest, "The first conversation of two.")
      await list.getByRole("button", { name: /^say The first/ }).and(guest.page.locator("[aria-current=page]")).waitFor()
      await guest.page.locator("#message").fill("a draft of the first")
      await guest.page.getByRole("button", { name: "New conversation" }).click()
      await guest.page.getByRole("button", { name: garden.quick_questions[1] }).waitFor()
      await ask(guest, "say The second.")
      await answered(guest, "The second.")
      await list.getByRole("button", { name: /^say The first/ }).click()
      await answered(guest, "The first conversation of two.")
      await hasValue(guest.page.locator("#message"), "a draft of the first")
      await guest.page.goBack()
      await answered(guest, "The second.")
      await guest.page.reload()
      await answered(guest, "The second.")
      assert.equal(await list.getByRole("listitem").count(), 2)

      await list.getByRole("listitem").first().hover()
      await list.getByRole("button", { name: "Delete “say The second.”" }).click()
      const dialog = guest.page.getByRole("dialog", { name: "Delete this conversation?" })
      await dialog.waitFor()
      await guest.inspect("307-service-delete")
      await guest.page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      assert.equal(server.conversations.size, 2)
      await list.getByRole("button", { name: "Delete “say The second.”" }).click()
      await dialog.getByRole("button", { name: "Delete" }).click()
      await dialog.waitFor({ state: "detached" })
      await guest.page.getByRole("button", { name: garden.quick_questions[1] }).waitFor()
      assert.equal(server.conversations.size, 1)
      assert.equal(await list.getByRole("listitem").count(), 1)
    })
  },

  "two tabs at a service do not disturb each other": async (v) => {
    await visit(v, async (guest, server) => {
      await ask(guest, "say In the first tab.\nhold\nsay Its end.")
      await said(guest, "In the first tab.").waitFor()
      const other = await guest.page.context().newPage()
      await other.goto(server.page)
      await other.locator("#message").fill("say In the second tab.")
      await other.keyboard.press("Enter")
      await other.getByRole("article").getByText("In the second tab.", { exact: true }).waitFor()
      assert.equal(await other.getByRole("article").count(), 1)
      assert.equal(await guest.page.getByRole("article").count(), 1)
      await guest.page.getByRole("navigation").getByRole("button", { name: /^say In the second/ }).waitFor()

      const same = await guest.page.context().newPage()
      await same.goto(guest.page.url())
      await same.getByRole("article").getByText("In the first tab.", { exact: true }).waitFor()
      server.release()
      await answered(guest, "Its end.")
      await same.getByRole("article").getByText("Its end.", { exact: true }).waitFor()
      await guest.page.locator("#message").fill("say Seen in both.")
      await guest.page.keyboard.press("Enter")
      await same.getByRole("article").getByText("Seen in both.", { exact: true }).waitFor()
      assert.deepEqual(server.asked.sort(), ["say In the first tab.\nhold\nsay Its end.", "say In the second tab.", "say Seen in both."])
      assert.deepEqual(guest.complaints, [])
    })
  },

  "files go with a message to a service: picked, pasted and dropped, pictures seen before": async (v) => {
    await visit(v, async (guest, server) => {
      const picked = guest.page.locator("input[type=file]")
      await picked.setInputFiles([{ name: "bed.png", mimeType: "image/png", buffer: PICTURE }, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") }])
      await guest.page.getByRole("list", { name: "Files of this message" }).getByRole("img", { name: "bed.png" }).waitFor()
      await guest.page.evaluate((bytes) => {
        const files = (name) => {
          const data = new DataTransfer()
          data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }))
          return data
        }
        document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", { clipboardData: files("pasted.png"), bubbles: true, cancelable: true }))
        document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: files("dropped.png"), bubbles: true, cancelable: true }))
      }, [...PICTURE])
      await guest.page.getByRole("img", { name: "pasted.png" }).waitFor()
      await guest.page.getByRole("img", { name: "dropped.png" }).waitFor()
      await guest.inspect("308-service-files")
      await guest.page.getByRole("button", { name: "Remove dropped.png" }).click()
      await picked.setInputFiles({ name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) })
      await guest.page.getByRole("alert").filter({ hasText: "empty.txt is empty." }).waitFor()
      await ask(guest, "say I see.")
      await answered(guest, "I see.")
      const [{ attachments }] = [...server.conversations.values()][0].messages
      assert.deepEqual(attachments.map(({ name }) => name), ["bed.png", "notes.txt", "pasted.png"])
      const shown = guest.turn.getByRole("img", { name: "bed.png" })
      await shown.waitFor()
      await guest.page.waitForFunction((image) => image.complete && image.naturalWidth === 8, await shown.elementHandle())
      await guest.turn.getByRole("button", { name: "notes.txt" }).waitFor()
      assert.equal(await guest.page.getByRole("list", { name: "Files of this message" }).count(), 0)

      await picked.setInputFiles({ name: "alone.png", mimeType: "image/png", buffer: PICTURE })
      await guest.page.locator("#message").press("Enter")
      await answered(guest, "I see your files.")
      await guest.turn.getByRole("img", { name: "alone.png" }).waitFor()
    })
  },

  "a message to a service is written as people write: Enter, Shift and Enter, an input method": async (v) => {
    await visit(v, async (guest, server) => {
      const box = guest.page.locator("#message")
      await box.fill("say one")
      await box.press("Shift+Enter")
      const low = (await box.boundingBox()).height
      await guest.page.keyboard.insertText("say two")
      assert.ok(low > 50, "it grows")
      await box.evaluate((area) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true })))
      await box.evaluate((area) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true })))
      assert.deepEqual(server.asked, [], "Enter that an input method takes sends nothing")
      await box.press("Enter")
      await answered(guest, "two")
      assert.deepEqual(server.asked, ["say one\nsay two"])
      await box.fill("   ")
      await box.press("Enter")
      assert.equal(server.asked.length, 1)
      const read = await guest.page.locator("[data-announcer] p").allInnerTexts()
      assert.match(read.join(" "), /one.*two/, "the answer is read aloud")
    })
  },

  "the page of a service fits a phone, in Chinese, too, and works by keyboard": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        await guest.page.getByRole("button", { name: garden.quick_questions[1] }).waitFor()
        await guest.inspect("310-service-phone")
        await ask(guest, `say ${"Longwordwithoutanyblank".repeat(12)} \`${"code".repeat(60)}\`\\n\\n| a | b |\\n|---|---|\\n| ${"cell ".repeat(40)} | ${"x".repeat(80)} |\\n\\n\`\`\`\\n${"line ".repeat(60)}\\n\`\`\`\nsearch ${"words ".repeat(30)}\nfile ${"long-name-".repeat(12)}.csv`)
        await answered(guest, "Longword")
        await guest.inspect("311-service-phone-answer")
        await guest.page.setViewportSize({ width: 320, height: 568 })
        await guest.fits("the answer at 320 px")
        await guest.page.getByRole("button", { name: "Show conversations and settings" }).click()
        const drawer = guest.page.getByRole("dialog", { name: "Conversations" })
        await drawer.waitFor()
        await guest.fits("the drawer at 320 px")
        await guest.inspect("312-service-drawer")
        await drawer.getByLabel("Language").selectOption("中文")
        await guest.page.getByRole("dialog", { name: "对话" }).waitFor()
        assert.equal(await guest.page.evaluate(() => document.documentElement.lang), "zh-CN")
        await guest.page.keyboard.press("Escape")
        await guest.page.getByPlaceholder("写消息").waitFor()
        assert.equal(await guest.page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "显示对话和设置", "the focus is back where it was")
        await guest.inspect("313-service-chinese")
        await guest.page.reload()
        await guest.page.getByPlaceholder("写消息").waitFor()
        await guest.page.goto(`${server.page}?lang=en`)
        await guest.page.getByPlaceholder("Write a message").waitFor()
        await guest.page.getByRole("button", { name: "Show conversations and settings" }).click()
        await drawer.getByLabel("Theme").selectOption("Dark")
        assert.equal(await guest.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(25, 25, 24)")
        await guest.page.keyboard.press("Escape")
        await guest.page.setViewportSize(desk)
        await guest.page.reload()
        assert.equal(await guest.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(25, 25, 24)")

        await guest.page.locator("#message").waitFor()
        await guest.page.evaluate(() => document.activeElement.blur())
        await guest.page.keyboard.press("Tab")
        assert.equal(await guest.page.evaluate(() => document.activeElement.textContent), "Skip to the message box")
        await guest.page.keyboard.press("Enter")
        await guest.page.waitForFunction(() => document.activeElement.id === "message")
      },
      { viewport: phone, hasTouch: true },
    )
  },

  "whoever speaks Chinese reads the page of a service in Chinese": async (v) => {
    await visit(
      v,
      async (guest) => {
        await guest.page.getByRole("heading", { name: "你的密钥" }).waitFor()
        await guest.page.getByLabel("密钥", { exact: true }).fill(KEY)
        await guest.page.getByRole("button", { name: "开始" }).click()
        await ask(guest, "say 郁金香在四月开花。然后是五月。")
        await guest.turn.getByText("然后是五月。").last().waitFor()
        await guest.page.getByRole("button", { name: "发送" }).waitFor()
        assert.match((await guest.page.locator("[data-announcer] p").allInnerTexts()).join(" "), /郁金香在四月开花。/)
      },
      { link: "", locale: "zh-CN" },
    )
  },

  "one line puts a service into a page of another origin: a button, a frame that closes with Escape, and a conversation that is there again": async (v) => {
    let shop
    let frames = ""
    await visit(
      v,
      async (guest, server) => {
        shop = await foreignPage(() => frames, { policy: `default-src 'none'; script-src ${server.url}; frame-src ${server.url}` })
        try {
          frames = `<script src="${server.page}/embed.js" data-key="${KEY}" async></script>`
          const warned = guest.page.waitForEvent("console", (message) => message.text().includes("may not be shown here"))
          await guest.page.goto(shop.url)
          await warned
          assert.equal(await guest.page.getByRole("button").count(), 0, "an origin that nobody has named gets no button")

          server.services.get(garden.service_id).origins = [shop.url]
          await guest.page.setViewportSize(desk)
          await guest.page.reload()
          const globals = await guest.page.evaluate(() => Object.keys(window).filter((name) => /xbot|service/i.test(name)))
          assert.deepEqual(globals, [])
          assert.ok(!server.requests.some((request) => request.startsWith(`GET /s/${garden.service_id}?`)), "the page is loaded when somebody wants it")
          const button = guest.page.getByRole("button", { name: "Ask Garden advice" })
          await button.waitFor()
          await guest.isAccessible("the button on a foreign page")
          await guest.shot("320-embed-button")
          await button.click()
          const dialog = guest.page.getByRole("dialog", { name: "Garden advice" })
          await dialog.waitFor()
          const frame = guest.page.frameLocator("iframe")
          await frame.locator("#message").fill("say In a frame.\nhold\nsay The end.")
          await frame.locator("#message").press("Enter")
          await frame.getByRole("article").getByText("In a frame.", { exact: true }).waitFor()
          await guest.shot("321-embed-open")
          server.release()
          await frame.getByRole("article").getByText("The end.", { exact: true }).waitFor()
          await frame.locator("#message").press("Escape")
          await dialog.waitFor({ state: "hidden" })
          assert.equal(await guest.page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.tagName), "BUTTON", "the focus is back at the button")
          await button.click()
          await guest.page.keyboard.press("Tab")
          await frame.getByRole("button", { name: "Close", exact: true }).click()
          await dialog.waitFor({ state: "hidden" })

          await guest.page.reload()
          await button.click()
          await frame.getByRole("article").getByText("The end.", { exact: true }).waitFor()
          await guest.page.setViewportSize(phone)
          const box = await dialog.boundingBox()
          assert.deepEqual([box.width, box.height], [phone.width, phone.height], "a phone shows it alone")
          await guest.shot("322-embed-phone")
          await frame.getByRole("button", { name: "Close", exact: true }).click()
          await button.waitFor()
          assert.ok(!server.requests.some((request) => request.includes("sk-svc")))

          frames = `<script src="${server.page}/embed.js" data-label="Need help?" data-position="left" data-lang="zh" async></script>`
          await guest.page.reload()
          await guest.page.getByRole("button", { name: "Need help?" }).click()
          await guest.page.frameLocator("iframe").getByPlaceholder("写消息").waitFor()
        } finally {
          await shop.close()
        }
      },
      { link: undefined, elsewhere: true },
    )
  },

  "a frame of an origin that nobody has named shows nothing of a service": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        const shop = await foreignPage(() => `<iframe title="stolen" src="${server.page}#key=${KEY}"></iframe>`)
        try {
          const refused = guest.page.waitForEvent("console", (message) => /frame-ancestors|Refused to (display|frame)/i.test(message.text()))
          await guest.page.goto(shop.url)
          await refused
          assert.equal(await guest.page.frameLocator("iframe").locator("#root").count(), 0)
        } finally {
          await shop.close()
        }
      },
      { link: undefined, elsewhere: true },
    )
  },

  "a service in a frame whose storage is refused works as long as the page is open": async (v) => {
    await visit(
      v,
      async (guest, server) => {
        const shop = await foreignPage(() => `<iframe title="advice" width="800" height="600" src="${server.page}#key=${KEY}"></iframe>`, { host: "localhost" })
        server.services.get(garden.service_id).origins = [shop.url]
        try {
          await guest.page.goto(shop.url)
          const frame = guest.page.frameLocator("iframe")
          await frame.locator("#message").fill("say Without storage.")
          await frame.locator("#message").press("Enter")
          await frame.locator(".prose").getByText("Without storage.").waitFor()
          await frame.getByRole("navigation").getByRole("button", { name: /^say Without/ }).waitFor()
          assert.equal(await guest.page.frames()[1].evaluate(() => localStorage.length).catch(() => "refused"), "refused")
          await frame.getByRole("button", { name: "Remove the key" }).click()
          await frame.getByLabel("Key", { exact: true }).fill(KEY)
          await frame.getByRole("button", { name: "Begin" }).click()
          await frame.getByRole("navigation").getByRole("button", { name: /^say Without/ }).click()
          await frame.locator(".prose").getByText("Without storage.").waitFor()
        } finally {
          await shop.close()
        }
      },
      { link: undefined, elsewhere: true },
    )
  },
}

/** What the built server does behind the same page. */
export const server = {
  "a visitor of a service talks to the built server: an answer goes on over a reload and a kill, in a frame, too, and ends with the service": async (v, server) => {
    const { id } = await call(v, "POST", "/api/services", { name: "Garden </script> advice", description: "Plants.", welcome_message: "Hello, **visitor**.", quick_questions: ["say Tulips bloom in May."] })
    const { key } = await call(v, "POST", `/api/services/${id}/keys`, { name: "the visitor" })
    const guest = await visitorAt(v, v.url, { serviceWorkers: "block" })
    try {
      await guest.page.goto(`${v.url}/s/${id}#key=${key}`)
      await guest.page.locator("strong", { hasText: "visitor" }).waitFor()
      assert.equal(await guest.page.title(), "Garden </script> advice")
      assert.equal(guest.page.url(), `${v.url}/s/${id}`)
      await guest.page.getByRole("button", { name: "say Tulips bloom in May." }).click()
      await answered(guest, "Tulips bloom in May.")
      await guest.inspect("330-service-server")

      await ask(guest, "stream 80 50ms")
      await said(guest, /\bw5\b/).waitFor()
      await guest.page.reload()
      await answered(guest, /\bw80\b/)
      assert.equal(await guest.page.getByText("stream 80 50ms", { exact: true }).and(guest.page.locator("article *")).count(), 1)

      await guest.page.locator("input[type=file]").setInputFiles({ name: "bed.png", mimeType: "image/png", buffer: PICTURE })
      await ask(guest, "say I see your bed.")
      await answered(guest, "I see your bed.")
      const shown = guest.turn.getByRole("img", { name: "bed.png" })
      await shown.waitFor()
      await guest.page.waitForFunction((image) => image.complete && image.naturalWidth === 8, await shown.elementHandle())

      if (server.kill) {
        await ask(guest, "stream 200 50ms")
        await said(guest, /\bw5\b/).waitFor()
        await server.kill()
        await guest.page.getByRole("status").filter({ hasText: "Trying again" }).waitFor()
        await server.start()
        await answered(guest, /\bw200\b/)
        assert.equal(await guest.page.getByText("stream 200 50ms", { exact: true }).and(guest.page.locator("article *")).count(), 1)
      }
      const conversation = `/api/services/${id}/conversations/${new URL(guest.page.url()).hash.slice("#c=".length)}`
      const answers = guest.page.getByRole("status").filter({ hasText: "A person is answering now." })
      await call(v, "POST", `${conversation}/take`)
      await answers.waitFor({ timeout: 5000 })
      await call(v, "POST", `${conversation}/say`, { text: "I am a person.", client_message_id: "s1" })
      await said(guest, "I am a person.").waitFor({ timeout: 5000 })
      await call(v, "POST", `${conversation}/give`)
      await answers.waitFor({ state: "detached", timeout: 5000 })
      assert.deepEqual(guest.complaints, [])

      const shop = await foreignPage(() => `<script src="${v.url}/s/${id}/embed.js" data-key="${key}" async></script>`)
      try {
        await call(v, "PATCH", `/api/services/${id}`, { origins: [shop.url] })
        await guest.page.goto(shop.url)
        await guest.page.getByRole("button", { name: /^Ask Garden/ }).click()
        const frame = guest.page.frameLocator("iframe")
        await frame.locator("#message").fill("say From the shop.")
        await frame.locator("#message").press("Enter")
        await frame.locator(".prose").getByText("From the shop.").waitFor()
      } finally {
        await shop.close()
      }

      await call(v, "PATCH", `/api/services/${id}`, { published: false })
      await guest.page.goto(`${v.url}/s/${id}`)
      await guest.page.getByText("This service is not offered at the moment.").waitFor()
    } finally {
      await guest.page.context().close()
      await v.page.request.delete(`${v.url}/api/services/${id}`, { headers: await v.headers() })
    }
    const answer = await v.page.request.get(`${v.url}/s/${id}?lang=zh`)
    assert.equal(answer.status(), 404)
    assert.match(await answer.text(), /此地址没有对应的服务/)
  },
}
