// Links by which anybody reads a conversation of the mock, as it was when the link was made.
import { randomBytes } from "node:crypto"

import { HttpProblem } from "./http.mjs"

const shown = ({ role, origin, display_only, silent }) => (role === "user" || role === "assistant") && !origin && !display_only && !silent

const view = ({ role, sender, content, tool_calls = [], pictures = [], created_at }) => ({
  role, sender, text: content, tools: tool_calls.map(({ name }) => name), files: pictures.map(({ name }) => name ?? ""), created_at,
})

export class Shares {
  #list = []

  /** Status and body of a request of the owner: rest is what follows "/shares". */
  answer(method, session, rest, body) {
    const of = this.#list.filter(({ key }) => key === session.key)
    if (method === "GET") return [200, { shares: of.map(({ link }) => link) }]
    if (method === "DELETE") {
      if (!of.some(({ link }) => rest === `/${link.id}`)) throw new HttpProblem(404, "there is no such link of this conversation that is still good")
      this.#list = this.#list.filter(({ link }) => rest !== `/${link.id}`)
      return [204]
    }
    const token = randomBytes(32).toString("base64url")
    const made = Date.now()
    const link = { id: this.#list.length + 1, message_id: session.messages.at(-1)?.id ?? 0, made_at: new Date(made).toISOString(), expires_at: new Date(made + (body.expires_in ?? 7) * 86_400_000).toISOString() }
    const messages = session.messages.filter((message) => shown(message) && !message.rewound).map(view)
    this.#list.unshift({ key: session.key, token, link, body: { title: session.title, made_at: link.made_at, expires_at: link.expires_at, messages } })
    return [201, { ...link, link: `/shared/${token}` }]
  }

  /** What a link shows, to anybody. */
  read(token) {
    const found = this.#list.find((share) => share.token === token)
    if (!found) throw new HttpProblem(404, "this link shows nothing: it is wrong, was revoked or has expired")
    return found.body
  }
}
