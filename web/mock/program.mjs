// The messages of the mock are small programs, a part of what the scripted model of the Go tests understands
// (internal/llm/llmtest): say, think, call, then, each, repeat, delay, gap, chunks, stream, fail, hang, usage. One is the
// mock's own: compress plays a compression before the step. A line "# title …" in a first message is what a model names the
// conversation after the answer.
// Anything else is answered with "echo: " and its text.

const units = { ms: 1, s: 1000, m: 60_000 }

/** Milliseconds of a Go duration such as "20ms" or "1.5s". */
export function duration(text) {
  const match = /^([\d.]+)(ms|s|m)$/.exec(text ?? "")
  return match ? Number(match[1]) * units[match[2]] : 0
}

const split = (line) => {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([^]*?)\s*$/.exec(line) ?? []
  return [word, rest]
}

const unescape = (text) => text.replaceAll("\\n", "\n")

class Parser {
  steps = []
  each = false

  last() {
    if (this.steps.length === 0) this.begin()
    return this.steps.at(-1)
  }

  begin() {
    this.steps.push({ text: "", reasoning: "", calls: [], delay: 0, gap: 0, chunks: 0, said: false, fail: 0, hang: false })
  }

  /** The step that text belongs to: after a call it is the next one. */
  text() {
    if (this.last().calls.length > 0 || this.last().said) this.begin()
    return this.last()
  }

  say(text) {
    Object.assign(this.text(), { text: unescape(text), said: true })
  }

  call(rest) {
    if (this.each && this.last().calls.length > 0) this.begin()
    const [name, json] = split(rest)
    this.last().calls.push({ name, arguments: json || "{}" })
  }

  repeat(rest) {
    const [count, more] = split(rest)
    const [, call] = split(more)
    for (let n = 1; n <= Number(count); n++) {
      if (this.last().calls.length > 0) this.begin()
      this.call(call.replaceAll("{{n}}", String(n)))
    }
  }

  stream(rest) {
    const [count, gap] = split(rest)
    const words = Array.from({ length: Number(count) }, (_, n) => `w${n + 1} `).join("")
    const step = this.text()
    Object.assign(step, { chunks: Number(count), gap: duration(gap), text: step.text || words, said: true })
  }
}

const directives = {
  say: (p, rest) => p.say(rest),
  think: (p, rest) => (p.text().reasoning = unescape(rest)),
  call: (p, rest) => p.call(rest),
  then: (p) => p.begin(),
  each: (p) => (p.each = true),
  repeat: (p, rest) => p.repeat(rest),
  delay: (p, rest) => (p.last().delay = duration(rest)),
  gap: (p, rest) => (p.last().gap = duration(rest)),
  chunks: (p, rest) => (p.last().chunks = Number(rest)),
  stream: (p, rest) => p.stream(rest),
  fail: (p, rest) => (p.last().fail = Number(split(rest)[1].split(" ")[0] || 99)),
  compress: (p) => (p.text().compress = true),
  hang: (p) => (p.last().hang = true),
  usage: (p, rest) => (p.last().usage = rest.split(/\s+/).map(Number)),
}

/** The steps of a message; the last one has no calls. */
export function stepsOf(message) {
  const parser = new Parser()
  for (const line of message.split("\n")) {
    const [word, rest] = split(line)
    directives[word]?.(parser, rest)
  }
  if (parser.steps.length === 0) parser.say(`echo: ${message.slice(0, 200)}`)
  if (parser.last().calls.length > 0) parser.text().text = "done"
  return parser.steps
}
