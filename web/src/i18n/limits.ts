import type { Table } from "./table"

const en = {
  turns: "Turns at once",
  user_turns: "Turns of one person or group",
  own_key_turns: "Turns with a model of one's own",
  llm_global: "Model calls of each tenant",
  llm_personal: "Calls of a model of one's own",
  llm_subagent: "Model calls of subagents",
  provider_wait_minutes: "Minutes to wait for a provider",
  subagent_depth: "How deep work is handed on",
  subagents_per_turn: "Tasks that one turn hands out",
  subagents_running: "Subagents at once",
  subagent_tokens: "Tokens of the subagents of a turn",
  person_sessions: "Conversations of a person",
  person_runners: "Runners of a person",
  person_tokens: "Access tokens of a person",
  person_storage: "Megabytes of files of a person",
  person_voice: "Minutes of voice mode of a person in 24 hours",
  hint: "An empty field is the default. Saving makes a new version of the policy, which every process follows within a second.",
  save: "Save",
  drop: "Drop the changes",
  saved: "The limits are in force: version {{version}} of the policy.",
}

export type LimitWord = keyof typeof en

export const limitWords: Table<LimitWord> = {
  en,
  zh: {
    turns: "同时进行的回合",
    user_turns: "每人或每群的回合",
    own_key_turns: "使用自有模型的回合",
    llm_global: "每个租户的模型调用",
    llm_personal: "自有模型的调用",
    llm_subagent: "子代理的模型调用",
    provider_wait_minutes: "等待模型服务的分钟数",
    subagent_depth: "工作转交的层数",
    subagents_per_turn: "每个回合派出的任务",
    subagents_running: "同时工作的子代理",
    subagent_tokens: "每个回合子代理的令牌数",
    person_sessions: "每人的对话数",
    person_runners: "每人的运行器数",
    person_tokens: "每人的访问令牌数",
    person_storage: "每人的文件（MB）",
    person_voice: "每人 24 小时内的语音模式时长（分钟）",
    hint: "留空即为默认值。保存会生成策略的新版本，所有进程在一秒内生效。",
    save: "保存",
    drop: "放弃更改",
    saved: "限制已生效：策略版本 {{version}}。",
  },
}
