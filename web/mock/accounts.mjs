// People with accounts, and invitations.
import { HttpProblem } from "./http.mjs"

const now = () => new Date().toISOString()
const later = (milliseconds) => new Date(Date.now() + milliseconds).toISOString()

export class Accounts {
  users = [
    { id: 1, name: "admin", role: "admin", created_at: later(-90 * 86_400_000), seen_at: now(), channels: ["feishu"], conversations: 12, has_password: true },
    { id: 2, name: "Lena", role: "member", created_at: later(-20 * 86_400_000), seen_at: later(-3_600_000), channels: [], conversations: 4, has_password: true },
    {
      id: 3, name: "Tom", role: "member", created_at: later(-40 * 86_400_000), seen_at: later(-9 * 86_400_000), channels: ["qq"], conversations: 2, has_password: false,
      disabled_at: later(-8 * 86_400_000), disabled_by: "admin",
    },
  ]
  invites = [{ id: 1, note: "Platform team", role: "member", uses: 5, used: 2, made_by: "admin", created_at: later(-86_400_000), expires_at: later(6 * 86_400_000) }]

  /** Status and body; undefined for another route. */
  answer(method, path, body) {
    const [, kind, id, rest] = /^\/api\/(users|invites)(?:\/(\d+))?(\/sign-in-link)?$/.exec(path) ?? []
    switch (`${method} ${kind}${id ? "/*" : ""}${rest ?? ""}`) {
      case "GET users":
        return [200, { users: this.#listed() }]
      case "POST users":
        return [201, this.#add(body)]
      case "PATCH users/*":
        return [204, this.#change(Number(id), body)]
      case "DELETE users/*":
        return [202, this.#remove(Number(id))]
      case "POST users/*/sign-in-link":
        return [201, { link: "/login#token=mock", tokens: 0 }]
      case "GET invites":
        return [200, { invites: this.invites }]
      case "POST invites": {
        const invite = { ...body, id: this.invites.length + 1, used: 0, created_at: now(), expires_at: later(body.days * 86_400_000) }
        this.invites.unshift(invite)
        return [201, { ...invite, link: "/join#token=mock" }]
      }
      case "DELETE invites/*":
        this.invites = this.invites.filter((invite) => invite.id !== Number(id))
        return [204]
    }
  }

  #add({ name, role }) {
    if (this.users.some((user) => user.name.toLowerCase() === name.toLowerCase())) throw new HttpProblem(409, `there is somebody named "${name}" already; choose another name`)
    const user = { id: this.users.length + 1, name, role, created_at: now(), channels: [], conversations: 0, has_password: false }
    this.users.push(user)
    return { id: user.id, name, role, link: "/login#token=mock" }
  }

  #change(id, { role, disabled }) {
    const user = this.users.find((candidate) => candidate.id === id)
    if (role) user.role = role
    if (disabled !== undefined) Object.assign(user, disabled ? { disabled_at: now(), disabled_by: "admin" } : { disabled_at: undefined, disabled_by: undefined })
  }

  /** Somebody is gone at the third look after. */
  #remove(id) {
    const user = this.users.find((candidate) => candidate.id === id)
    Object.assign(user, { disabled_at: now(), deleting_since: now(), had: user.conversations, looks: 3 })
  }

  #listed() {
    for (const user of this.users) {
      if (user.deleting_since === undefined) continue
      user.looks -= 1
      user.conversations = Math.min(user.conversations, user.looks)
    }
    this.users = this.users.filter(({ looks }) => looks !== 0)
    return this.users.map((user) => ({ ...user, looks: undefined }))
  }
}
