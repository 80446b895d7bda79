import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"

import { Visitor } from "./visitor.mjs"

const PASSWORD = "correct horse battery"

/** Somebody else at another browser; `options` are those of its context. */
export const visitorAt = async (v, url, options = {}) => {
  const browser = v.page.context().browser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-GB", reducedMotion: "reduce", ...options })
  return new Visitor(await context.newPage(), url, v.artifacts)
}

/** Calls the API past the page; undefined where it answers without a body. */
export const call = async (v, method, path, data) => {
  const answer = await v.page.request.fetch(`${v.url}${path}`, { method, headers: await v.headers(), data })
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`)
  return answer.status() === 204 ? undefined : answer.json()
}

/** Somebody new, whom an administrator has invited, on the first page. Their name begins with the given one. */
export const invited = async (v, name, role = "member") => {
  const { link } = await call(v, "POST", "/api/invites", { note: name, role, uses: 1, days: 1 })
  const guest = await visitorAt(v, v.url)
  guest.name = `${name} ${randomUUID().slice(0, 8)}`
  await guest.page.goto(v.url + link)
  await guest.page.getByLabel("Your name here").fill(guest.name)
  await guest.page.getByLabel("Password").fill(PASSWORD)
  await guest.page.getByRole("button", { name: "Make account" }).click()
  await guest.ready()
  return guest
}
