// Highlights code in a worker, since a hostile line can keep a backtracking grammar busy for minutes. Each grammar is loaded when a code block needs
// it. The engine uses JavaScript regular expressions: the other one is WebAssembly, which the page's policy does not allow.
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore, type LanguageInput } from "shiki/core"
import { createJavaScriptRegexEngine } from "shiki/engine/javascript"

import type { Answer, Request, Run } from "./highlight-messages"

const grammars: Record<string, LanguageInput> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
}

const aliases: Record<string, string> = {
  "c++": "cpp", "c#": "csharp", cs: "csharp", dockerfile: "docker", golang: "go", js: "javascript", kt: "kotlin",
  makefile: "make", md: "markdown", patch: "diff", ps1: "powershell", py: "python", rb: "ruby", rs: "rust",
  sh: "bash", shell: "bash", console: "bash", zsh: "bash", ts: "typescript", yml: "yaml", jsonc: "json", svg: "xml",
}

/** Longer code stays plain: highlighting it would block the page. */
const LONGEST = 60_000

/** Runs that the page renders without a pause. */
const MOST = 20_000

/** The bit of a font style that shiki sets for italics. */
const ITALIC = 1

const theme = createCssVariablesTheme({ name: "tokens", variablePrefix: "--code-", fontStyle: true })

let highlighter: Promise<HighlighterCore> | undefined

/** Returns the highlighted lines; undefined if the language is unknown or the code too long. */
async function highlight(code: string, language: string): Promise<Run[][] | undefined> {
  const name = aliases[language] ?? language
  const grammar = grammars[name]
  if (!grammar || code.length > LONGEST) return undefined
  highlighter ??= createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) })
  const ready = await highlighter
  await ready.loadLanguage(grammar)
  const { tokens } = ready.codeToTokens(code, { lang: name, theme: "tokens" })
  if (tokens.reduce((sum, line) => sum + line.length, 0) > MOST) return undefined
  return tokens.map((line) =>
    line.map(({ content, color, fontStyle }) => ({ text: content, color, italic: Number(fontStyle) === ITALIC })),
  )
}

addEventListener("message", ({ data: { id, code, language } }: MessageEvent<Request>) => {
  const answer = (lines: Run[][] | undefined) => postMessage({ id, lines } satisfies Answer)
  highlight(code, language).then(answer, (error: unknown) => {
    console.error("code was not highlighted", error)
    answer(undefined)
  })
})
