import type { Table } from "./table"

const en = {
  lead: "Programs and addresses that are asked at moments of a conversation, as the server reads them from hooks.json.",
  decide: "A hook leaves it to an administrator: may {{tool}} run?",
  waits: "{{tool}} waits for an administrator",
  deferred: "Waiting for an administrator",
  noneDeferred: "No call waits.",
  of: "For {{owner}}, since {{at}} ·",
  open: "Open the conversation",
  allow: "Allow",
  allowLabel: "Allow {{tool}}",
  deny: "Deny",
  denyLabel: "Deny {{tool}}",
  faults: "Wrong with the file:",
  list: "Hooks",
  none: "There are no hooks.",
  async: "not waited for",
}

export type HookWord = keyof typeof en

const zh: Record<HookWord, string> = {
  lead: "在对话的某些时刻被询问的程序和地址，由服务器从 hooks.json 读取。",
  decide: "钩子将此事交给管理员决定：允许运行 {{tool}} 吗？",
  waits: "{{tool}} 正在等待管理员",
  deferred: "等待管理员",
  noneDeferred: "没有等待中的调用。",
  of: "用户 {{owner}}，自 {{at}} ·",
  open: "打开对话",
  allow: "允许",
  allowLabel: "允许 {{tool}}",
  deny: "拒绝",
  denyLabel: "拒绝 {{tool}}",
  faults: "文件中的错误：",
  list: "钩子",
  none: "没有钩子。",
  async: "不等待结果",
}

export const hookWords: Table<HookWord> = { en, zh }
