// The calls about accounts that people have elsewhere, and the providers at which they have them.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

/** One as administrators see it, without the secret of its client. */
export type OAuthProvider = Schemas["OAuthProvider"]
export type OAuthProviderDraft = Schemas["OAuthProviderDraft"]
/** One of a person, without its tokens. */
export type OAuthAccount = Schemas["OAuthAccount"]
/** A provider as people see it. */
export type Connectable = Schemas["Connectable"]

export async function listAccounts(): Promise<{ accounts: OAuthAccount[]; providers: Connectable[] }> {
  const { accounts, providers } = await unwrap(api.GET("/api/oauth/accounts"))
  return { accounts: accounts ?? [], providers: providers ?? [] }
}

/** A path of this server that leads to the provider; `call`: that waits for the account. */
export async function connectAccount(provider: string, call?: string): Promise<string> {
  const { link } = await unwrap(api.POST("/api/oauth/accounts/{provider}/connect", { params: { path: { provider } }, body: { call } }))
  return link
}

/** Gives the tokens back and removes them; the answer is why the provider could not be told. */
export async function disconnectAccount(provider: string): Promise<string | undefined> {
  const { problem } = await unwrap(api.DELETE("/api/oauth/accounts/{provider}", { params: { path: { provider } } }))
  return problem
}

export async function listOAuthProviders(): Promise<{ providers: OAuthProvider[]; redirect: string }> {
  const { providers, redirect_url } = await unwrap(api.GET("/api/oauth/providers"))
  return { providers: providers ?? [], redirect: redirect_url }
}

/** A conflict: it was changed meanwhile. */
export const saveOAuthProvider = (provider: string, body: OAuthProviderDraft): Promise<OAuthProvider> =>
  unwrap(api.PUT("/api/oauth/providers/{provider}", { params: { path: { provider } }, body }))

export const deleteOAuthProvider = (provider: string) => unwrap(api.DELETE("/api/oauth/providers/{provider}", { params: { path: { provider } } }))
