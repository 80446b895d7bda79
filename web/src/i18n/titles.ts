import type { Table } from "./table"

const en = {
  title: "Titles of conversations",
  model: "Let a model name my conversations after the first answer",
  lead: "Makes one short call of your fast model per conversation. Titles that you set are kept. Otherwise the first words of the first message are used.",
}

export type TitlesWord = keyof typeof en

const zh: Record<TitlesWord, string> = {
  title: "对话标题",
  model: "首次回答后由模型为对话命名",
  lead: "每个对话只调用一次你的快速模型。你自己起的名称不会被替换。关闭后，对话以首条消息的开头作为标题。",
}

export const titlesWords: Table<TitlesWord> = { en, zh }
