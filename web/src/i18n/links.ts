import type { Table } from "./table"

const en = {
  transfers: "Accounts to transfer",
  transfer: "Give the account “{{account}}” (conversations: {{count}}, and memory) to the ids that are listed for “{{name}}” now. {{ids}} used it until now and loses access.",
  transferred: "transferred: {{names}}",
  links: "Linked users",
  account: "Account “{{account}}”, conversations: {{count}}",
  unlink: "Unlink",
  unlinkName: "Unlink {{name}}",
  unlinkNameTitle: "Unlink “{{name}}” from its account?",
  unlinkNameText: "The account keeps its conversations and memory. Ids that the policy lists under this name begin another account when they write next.",
  unlinkIdentity: "Unlink {{name}} {{peer}}",
  unlinkIdentityTitle: "Unlink {{name}} from your account?",
  unlinkIdentityText: "From your next message there you have an account of its own, with the conversations from there. Memory and files stay with this account.",
}

export type LinkWord = keyof typeof en

export const linkWords: Table<LinkWord> = {
  en,
  zh: {
    transfers: "将移交的账号",
    transfer: "将账号“{{account}}”（对话：{{count}}，及其记忆）移交给“{{name}}”当前列出的 ID。此前使用该账号的 {{ids}} 将失去访问权限。",
    transferred: "已移交：{{names}}",
    links: "已关联的用户",
    account: "账号“{{account}}”，对话：{{count}}",
    unlink: "解除关联",
    unlinkName: "解除“{{name}}”的关联",
    unlinkNameTitle: "解除“{{name}}”与其账号的关联？",
    unlinkNameText: "该账号保留其对话和记忆。策略在此名称下列出的 ID 下次发消息时将使用新账号。",
    unlinkIdentity: "解除 {{name}} {{peer}} 的关联",
    unlinkIdentityTitle: "解除 {{name}} 与你账号的关联？",
    unlinkIdentityText: "从下一条消息起，你在那里使用独立的账号，并带走那里的对话。记忆和文件保留在本账号。",
  },
}
