import type { Table } from "./table"

const en = {
  broken: "The panel cannot be shown: {{why}}",
  gone: "Panel not found. Its plugin may be disabled.",
  retry: "Load again",
  dropped: "The panel sent an invalid request or too many at once. The request was ignored.",
  by: "Shown by the plugin {{plugin}}",
}

export type PanelWord = keyof typeof en

const zh: Record<PanelWord, string> = {
  broken: "面板无法显示：{{why}}",
  gone: "没有这个面板。它的插件可能已停用。",
  retry: "重新加载",
  dropped: "面板发送了不允许的内容，或一次发送过多，已忽略。",
  by: "由插件 {{plugin}} 显示",
}

export const panelsWords: Table<PanelWord> = { en, zh }
