import type { Table } from "./table"

const en = {
  versions: "Versions of your profile",
  current: "in force",
  empty: "no text",
  characters: "{{count}} characters",
  timezone: "Timezone: {{zone}}",
  change: "Changes in {{version}}",
  goBack: "Go back to this version",
  remove: "Delete this version",
}

export type ProfileWord = keyof typeof en

const zh: Record<ProfileWord, string> = {
  versions: "个人资料的版本",
  current: "生效中",
  empty: "无内容",
  characters: "{{count}} 个字符",
  timezone: "时区：{{zone}}",
  change: "{{version}} 的改动",
  goBack: "恢复到此版本",
  remove: "删除此版本",
}

export const profileWords: Table<ProfileWord> = { en, zh }
