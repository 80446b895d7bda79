// Voice mode. Chromium's microphone is a device that beeps. Each name is a claim.
import assert from "node:assert/strict"

import { call } from "./lib/others.mjs"
import { ANSWER, realtime, SAID } from "./lib/realtime.mjs"
import { removeKeys } from "./lib/services.mjs"

const KEY = "sk-realtime-0123456789"
const phone = { width: 390, height: 812 }
const desktop = { width: 1280, height: 860 }

const start = (v) => v.page.getByRole("button", { name: "Start voice mode" })
const region = (v) => v.page.getByRole("region", { name: "Voice mode" })
const shows = (v, text) => region(v).getByText(text).first().waitFor()
const eventually = async (what, holds) => {
  for (let tries = 0; tries < 100; tries++) {
    if (await holds()) return
    await new Promise((later) => setTimeout(later, 100))
  }
  assert.fail(what)
}

/** Opens a new conversation with a first answer. */
const conversation = async (v) => {
  const { key } = await call(v, "POST", "/api/sessions", {})
  await v.page.goto(`${v.url}/c/${key}`)
  await v.ready()
  return key
}

let service

export const server = {
  "voice mode is offered only where a realtime service has a key": async (v) => {
    await removeKeys(v)
    await conversation(v)
    await v.page.getByRole("button", { name: "Dictate", exact: true }).waitFor()
    assert.equal(await start(v).count(), 0)
    service = await realtime(KEY)
    await call(v, "PUT", "/api/keys/realtime", { shared: true, key: KEY, base_url: `${service.url}/v1` })
    await v.page.reload()
    await v.ready()
    await start(v).waitFor()
  },

  "push to talk with Space is answered with captions, and is added to the conversation": async (v) => {
    await start(v).click()
    await shows(v, "Listening")
    await eventually("the microphone is sent", () => service.appended() > 0)
    await region(v).getByRole("button", { name: "Switch to push to talk" }).click()
    await shows(v, "Ready")
    await v.inspect("240-voice")
    await v.page.setViewportSize(phone)
    await v.inspect("240-voice-phone")
    await v.page.setViewportSize(desktop)
    await region(v).focus()
    await v.page.keyboard.down("Space")
    await shows(v, "Hearing you…")
    await new Promise((spoken) => setTimeout(spoken, 400))
    await v.page.keyboard.up("Space")
    await shows(v, SAID)
    await shows(v, ANSWER)
    await v.inspect("241-voice-answer")
    await v.page.getByRole("main").getByText(ANSWER).nth(1).waitFor() // in the conversation, after the audio has been played
    assert.ok(service.heard.includes("input_audio_buffer.commit"))
  },

  "speaking interrupts the answer, and the conversation keeps the part that was heard": async (v) => {
    await region(v).getByRole("button", { name: "Hold to talk" }).hover()
    await v.page.mouse.down()
    await shows(v, "Hearing you…")
    await new Promise((spoken) => setTimeout(spoken, 300))
    await v.page.mouse.up()
    await shows(v, ANSWER)
    await new Promise((heard) => setTimeout(heard, 600))
    service.interrupt()
    await eventually("the service gets the length of the audio that was heard", () => service.truncated.length > 0)
    assert.ok(service.truncated[0] > 0 && service.truncated[0] < 1600, `${service.truncated[0]} ms were heard`)
    await v.page.getByRole("main").getByText(/^It( is( twelve)?)? …$/).waitFor()
  },

  "voice mode reconnects after a lost connection, and Escape ends it": async (v) => {
    service.drop()
    await shows(v, "Connecting…")
    await shows(v, "Ready")
    await v.page.keyboard.press("Escape")
    await region(v).waitFor({ state: "detached" })
    await start(v).waitFor()
    await removeKeys(v)
    await service.close()
  },
}
