// What the conversations of the mock have used: made up for the days before today, counted for today.
const DAY = 86_400_000
const PRICE = { fresh: 2.5e-6, cached: 0.25e-6, output: 1e-5 }

const costOf = ({ prompt_tokens: prompt, cached_tokens: cached, completion_tokens: output }) =>
  (prompt - cached) * PRICE.fresh + cached * PRICE.cached + output * PRICE.output

const sum = (rows) =>
  rows.reduce(
    (all, row) => ({
      calls: all.calls + row.calls, prompt_tokens: all.prompt_tokens + row.prompt_tokens, cached_tokens: all.cached_tokens + row.cached_tokens,
      completion_tokens: all.completion_tokens + row.completion_tokens, cost: all.cost + row.cost,
    }),
    { calls: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, cost: 0 },
  )

const priced = (row) => ({ ...row, cost: costOf(row) })

export function usage(sessions, days) {
  const rows = sessions.flatMap((session) => {
    const answers = session.messages.filter((message) => message.role === "assistant" && message.usage)
    if (answers.length === 0) return []
    const one = answers.map(({ usage: { prompt_tokens, cached_tokens = 0, completion_tokens } }) => priced({ calls: 1, prompt_tokens, cached_tokens, completion_tokens }))
    return [{ key: session.key, title: session.title, model: "mock/scripted", ...sum(one) }]
  })
  const day = (ago) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10)
  const earlier = Array.from({ length: Math.min(days - 1, 24) }, (_, n) => {
    const prompt_tokens = Math.round(240_000 * (1 + Math.sin(n * 1.7)) + 9_000)
    return priced({ day: day(n + 1), model: n % 3 ? "mock/scripted" : "mock/large", calls: 10 + n, prompt_tokens, cached_tokens: Math.round(prompt_tokens * 0.7), completion_tokens: Math.round(prompt_tokens * 0.04) })
  }).filter((_, n) => n % 7 < 5)
  const today = rows.length > 0 ? [{ day: day(0), model: "mock/scripted", ...sum(rows) }] : []
  return { days: [...today, ...earlier], sessions: rows.sort((a, b) => b.prompt_tokens - a.prompt_tokens), total: { model: "", ...sum([...today, ...earlier]) }, media: days > 7 ? [{ day: day(2), kind: "image", model: "mock/pictures", calls: 3, units: 4, cost: 0.16 }] : [], currency: "USD" }
}
