import type { Table } from "./table"

const en = {
  title: "Sign in as {{name}}?",
  text: "You are signed in as {{signedIn}}. This link signs you in as {{name}}. Do not use it if you did not ask for it.",
  stay: "Stay signed in as {{name}}",
  replace: "Sign in as {{name}}",
}

export type OtherAccountWord = keyof typeof en

const zh: Record<OtherAccountWord, string> = {
  title: "以 {{name}} 登录？",
  text: "你当前以 {{signedIn}} 的身份登录，此链接会让你以 {{name}} 的身份登录。如果这不是你自己要求的链接，请不要使用。",
  stay: "保持 {{name}} 的登录状态",
  replace: "以 {{name}} 登录",
}

export const otherAccountWords: Table<OtherAccountWord> = { en, zh }
