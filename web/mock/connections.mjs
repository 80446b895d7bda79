// Connected accounts in the mock. The way to a provider ends at once: the account is connected by asking for the link.
import { HttpProblem } from "./http.mjs"

export class Connections {
  #providers = []
  #accounts = []

  /** Status and body of a request. */
  answer(method, url, body) {
    const [, , , what, id, verb] = url.pathname.split("/")
    if (what === "providers") return this.#ofProviders(method, id, body)
    const provider = this.#providers.find((known) => known.id === id)
    if (!id) return [200, { accounts: this.#accounts, providers: this.#providers.filter(({ enabled }) => enabled).map(({ id, name, scopes }) => ({ id, name, scopes })) }]
    if (!provider) throw new HttpProblem(404, `there is no provider "${id}"`)
    if (verb === "connect") {
      this.#accounts = [...this.#accounts.filter((account) => account.provider !== id), { provider: id, label: "lena@example.com", scopes: provider.scopes, connected_at: new Date().toISOString() }]
      return [200, { link: "/healthz" }]
    }
    this.#accounts = this.#accounts.filter((account) => account.provider !== id)
    return [200, provider.revoke_url ? {} : { problem: "it does not take them" }]
  }

  /** An MCP server has named a provider. */
  names({ id, name, account }) {
    this.#ofProviders("PUT", account, { name, token_url: "https://login.example/token", authorize_url: "https://login.example/authorize", scopes: ["tools"], more_scopes: [], client_id: "xbot", client_auth: "body", enabled: true, mcp_server: id })
  }

  /** An MCP server is gone. */
  forgets({ account }) {
    if (account?.startsWith("mcp-")) this.#ofProviders("DELETE", account)
  }

  #ofProviders(method, id, body) {
    if (!id) return [200, { providers: this.#providers.map((provider) => ({ ...provider, accounts: this.#accounts.filter(({ provider: at }) => at === provider.id).length })), redirect_url: "https://xbot.example/oauth/callback" }]
    const stands = this.#providers.find((provider) => provider.id === id)
    if (method === "DELETE") {
      this.#providers = this.#providers.filter((provider) => provider !== stands)
      this.#accounts = this.#accounts.filter(({ provider }) => provider !== id)
      return [204]
    }
    const { client_secret, revision = 0, ...rest } = body
    if (!rest.token_url) throw new HttpProblem(400, "token_url must be an https address")
    if (!rest.mcp_server && revision !== (stands?.revision ?? 0)) throw new HttpProblem(409, "the provider was made, changed or removed meanwhile: read it again")
    const now = new Date().toISOString()
    const provider = { created_at: now, ...stands, ...rest, id, name: rest.name || id, secret: Boolean(client_secret) || (stands?.secret ?? false), revision: revision + 1, changed_at: now, changed_by: "admin", accounts: 0 }
    this.#providers = [...this.#providers.filter((known) => known !== stands), provider]
    return [200, provider]
  }
}
