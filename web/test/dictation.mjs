// How a message is spoken. Chromium's microphone is a device that beeps. Each name is a claim.
import assert from "node:assert/strict"

import { call, invited } from "./lib/others.mjs"
import { removeKeys, SAID, services } from "./lib/services.mjs"

const EAR = "sk-of-the-ear-0123456789"
const phone = { width: 375, height: 812 }
const desk = { width: 1280, height: 860 }

const key = async (v, method, data) => {
  const answer = await v.page.request.fetch(`${v.url}/api/keys/transcription${method === "DELETE" ? "?shared=true" : ""}`, { method, headers: await v.headers(), data })
  assert.ok(answer.ok(), `${method}: ${answer.status()}`)
}
const home = async (v) => {
  await v.page.goto(v.url)
  await v.ready()
}
const open = async (v) => {
  await v.page.goto(`${v.url}/c/agent:main:web:thread:trip`)
  await v.ready()
}
const dictate = (v) => v.page.getByRole("button", { name: "Dictate", exact: true })
const stop = (v) => v.page.getByRole("button", { name: "Stop and transcribe" })
const tells = (v, role, text) => v.page.getByRole(role).filter({ hasText: text }).waitFor()
const words = async (v, text) => {
  await v.page.waitForFunction((wanted) => document.querySelector("#message")?.textContent === wanted, text)
}

/** A second has been recorded, or more. */
const aSecond = (v) => v.page.getByText(/^(0:0[1-9]|0:[1-5]\d|[1-9]:\d\d)$/).waitFor()

/** Speaks for a second. */
const speak = async (v) => {
  await dictate(v).click()
  await aSecond(v)
  await stop(v).click()
}

export const server = {
  "what is said becomes text by the service of the installation, and nothing is sent to the conversation": async (v) => {
    await removeKeys(v)
    await home(v)
    await dictate(v).click()
    await tells(v, "alert", "There is no key for transcription.")
    const ear = await services(EAR)
    await call(v, "PUT", "/api/keys/transcription", { shared: true, key: EAR, base_url: `${ear.url}/v1` })
    await home(v)
    await v.write("Remember!")
    await v.page.keyboard.press("ArrowLeft")
    await speak(v)
    await words(v, `Remember ${SAID}!`)
    assert.deepEqual(ear.heard.map(({ name }) => name), ["audio.webm"])
    assert.ok(ear.heard[0].bytes > 1_000, `${ear.heard[0].bytes} bytes of a second of sound`)
    assert.equal(new URL(v.page.url()).pathname, "/", "no conversation has begun")
    await v.clear()
    await removeKeys(v)
    await ear.close()
  },

  "a member's own key of transcription is used before the installation's, and what was said is kept until it is text": async (v) => {
    await removeKeys(v)
    const ear = await services(EAR)
    await call(v, "PUT", "/api/keys/transcription", { shared: true, key: EAR, base_url: `${ear.url}/v1` })
    const mia = await invited(v, "Mia")
    await call(mia, "PUT", "/api/keys/transcription", { key: EAR, base_url: `${ear.url}/v1` })
    await speak(mia)
    await tells(mia, "alert", "not an address on the public internet") // as the installation's may be, and a person's own not
    assert.deepEqual(ear.heard, [])
    await removeKeys(mia)
    await mia.page.getByRole("alert").getByRole("button", { name: "Try again" }).click()
    await words(mia, SAID)
    assert.equal(ear.heard.length, 1)
    assert.deepEqual(mia.complaints, [])
    await mia.page.context().close()
    await removeKeys(v)
    await ear.close()
  },
}

export const mock = {
  "without a key for transcription the microphone leads to where one is set": async (v) => {
    await open(v)
    await dictate(v).click()
    await tells(v, "alert", "There is no key for transcription.")
    await v.inspect("230-dictation-no-key")
    await v.page.getByRole("link", { name: "Models and keys" }).click()
    await v.page.waitForURL("**/settings/models")
  },

  "what is said stands where the caret is, to be changed before it is sent": async (v) => {
    await removeKeys(v)
    await key(v, "PUT", { shared: true, key: EAR })
    await open(v)
    await v.clear()
    await v.write("Remember!")
    await v.page.keyboard.press("ArrowLeft")
    await dictate(v).click()
    await tells(v, "status", "Recording")
    assert.equal(await stop(v).getAttribute("aria-pressed"), "true")
    await v.inspect("231-dictation")
    await v.page.setViewportSize(phone)
    await v.inspect("231-dictation-phone")
    await v.page.setViewportSize(desk)
    await aSecond(v)
    await stop(v).click()
    await words(v, "Remember please buy milk!")
    await v.page.keyboard.insertText(" today")
    await words(v, "Remember please buy milk today!")
    assert.equal(await v.timesAsked("Remember please buy milk!"), 0, "nothing is sent")
    await v.clear()
  },

  "Escape discards a recording, and nothing of it leaves the browser": async (v) => {
    let sent = 0
    const count = (request) => void (sent += request.url().endsWith("/api/transcriptions") ? 1 : 0)
    v.page.on("request", count)
    await dictate(v).click()
    await aSecond(v)
    await v.page.keyboard.press("Escape")
    await dictate(v).waitFor()
    assert.equal(await v.page.getByText("Recording", { exact: true }).count(), 0)
    await dictate(v).click()
    await v.page.getByRole("button", { name: "Discard" }).click()
    await dictate(v).waitFor()
    assert.equal(sent, 0)
    v.page.off("request", count)
  },

  "a recording that was not turned into text is kept until it is": async (v) => {
    let refusals = 1
    await v.page.route("**/api/transcriptions", (route) =>
      refusals-- > 0
        ? route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ status: 503, detail: "the service of transcription did not answer" }) })
        : route.continue(),
    )
    await speak(v)
    await tells(v, "alert", "Transcription failed: the service of transcription did not answer")
    await v.inspect("232-dictation-failed")
    await v.page.getByRole("alert").getByRole("button", { name: "Try again" }).click()
    await words(v, "please buy milk")
    await v.page.unroute("**/api/transcriptions")
    await v.clear()
  },

  "where the browser has no microphone for the page it says so": async (v) => {
    await v.page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"))
    })
    await dictate(v).click()
    await tells(v, "alert", "The browser blocks the microphone on this page.")
    await v.page.getByRole("button", { name: "Close", exact: true }).click()
    await v.page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotFoundError"))
    })
    await dictate(v).click()
    await tells(v, "alert", "No microphone was found.")
    await key(v, "DELETE")
    await open(v)
  },
}
