import type { ToolCall } from "../../api/types"

export type Source = NonNullable<ToolCall["sources"]>[number]

/**
 * The pages of the web that an answer comes from, each once: those that were read, then those that the answer names. Where
 * there are none of these, what was found stands for them.
 */
export function sourcesOf(calls: ToolCall[], answer: string): Source[] {
  const told = calls.filter((call) => !call.is_error && call.sources)
  const of = (kept: (call: ToolCall, source: Source) => boolean) => told.flatMap((call) => (call.sources ?? []).filter((source) => kept(call, source)))
  const used = [...of((call) => call.name === "Fetch"), ...of((_, { url }) => names(answer, url))]
  const all = used.length > 0 ? used : of(() => true)
  return [...new Map(all.filter(({ url }) => /^https?:\/\//.test(url) && URL.canParse(url)).map((source) => [source.url, source])).values()]
}

/** Whether a text names an address, and not only a longer one that begins with it. */
const names = (text: string, url: string): boolean => text.split(url).slice(1).some((behind) => /^([.,;:!?。，；：！？]?([\s)\]}>"'`*_|<（）、。，]|$))/.test(behind))
