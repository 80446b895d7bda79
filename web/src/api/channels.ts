// The calls of administrators about bots on platforms.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type ChannelFinding = components["schemas"]["ChannelFinding"]
export type ChannelFault = components["schemas"]["ChannelFault"]

/** One setting of a bot on a platform. */
export type ChannelOption = Omit<components["schemas"]["ChannelOption"], "choices"> & { choices: string[] }

/** A platform, with what a bot on it is configured with. */
export interface ChannelKind {
  name: string
  options: ChannelOption[]
}

/** A bot on a platform and how it stands; without its secrets. */
export type ChannelAccount = Omit<components["schemas"]["ChannelAccount"], "secrets" | "environment"> & { secrets: string[]; environment: string[] }

export interface Channels {
  kinds: ChannelKind[]
  accounts: ChannelAccount[]
}

const accountOf = (account: components["schemas"]["ChannelAccount"]): ChannelAccount => ({
  ...account,
  secrets: account.secrets ?? [],
  environment: account.environment ?? [],
})

export async function listChannels(): Promise<Channels> {
  const { kinds, accounts } = await unwrap(api.GET("/api/channels"))
  return {
    kinds: (kinds ?? []).map(({ name, options }) => ({ name, options: (options ?? []).map((option) => ({ ...option, choices: option.choices ?? [] })) })),
    accounts: (accounts ?? []).map(accountOf),
  }
}

/** Which bot a call is about. */
export interface Bot {
  channel: string
  account: string
}

/** What a bot is to be configured with. A secret that is empty stays as it is stored. */
export interface ChannelDraft {
  settings: Record<string, string>
  /** Secrets that are taken away. */
  forget: string[]
  /** Of what it was made from; 0: a new bot. */
  revision: number
}

const at = ({ channel, account }: Bot) => ({ path: { channel }, query: { account } })

/** What is wrong with the form of a draft. The platform is not asked. */
export async function checkChannel(bot: Bot, body: ChannelDraft): Promise<ChannelFault[]> {
  const { faults } = await unwrap(api.POST("/api/channels/{channel}/check", { params: at(bot), body }))
  return faults ?? []
}

/** Makes or changes a bot. A conflict: somebody else did meanwhile. */
export const saveChannel = async (bot: Bot, draft: ChannelDraft, enabled: boolean) =>
  accountOf(await unwrap(api.PUT("/api/channels/{channel}", { params: at(bot), body: { ...draft, enabled } })))

export const enableChannel = (bot: Bot, enabled: boolean) => unwrap(api.PATCH("/api/channels/{channel}", { params: at(bot), body: { enabled } }))

export const deleteChannel = (bot: Bot) => unwrap(api.DELETE("/api/channels/{channel}", { params: at(bot) }))

/** What a test has found, step by step. It may take 20 seconds. */
export interface ChannelTest {
  passed: boolean
  findings: ChannelFinding[]
}

export async function testChannel(bot: Bot, to: string): Promise<ChannelTest> {
  const { passed, findings } = await unwrap(api.POST("/api/channels/{channel}/test", { params: at(bot), body: { to } }))
  return { passed, findings: findings ?? [] }
}
