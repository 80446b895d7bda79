import type { Table } from "./table"

const en = {
  dictate: "Dictate",
  stop: "Stop and transcribe",
  asking: "Waiting for the microphone…",
  recording: "Recording",
  escape: "Escape discards it, 10 minutes at most",
  writing: "Transcribing…",
  discard: "Discard",
  cancel: "Cancel",
  close: "Close",
  again: "Try again",
  settings: "Models and keys",
  noKey: "There is no key for transcription. Enter one under",
  blocked: "The browser blocks the microphone on this page. Allow it next to the address bar, then try again.",
  noMicrophone: "No microphone was found.",
  nothing: "Nothing was made out.",
  failed: "Transcription failed: {{reason}}",
}

export type DictationWord = keyof typeof en

export const dictationWords: Table<DictationWord> = {
  en,
  zh: {
    dictate: "语音输入",
    stop: "停止并转成文字",
    asking: "正在等待麦克风…",
    recording: "正在录音",
    escape: "按 Esc 放弃，最长 10 分钟",
    writing: "正在转成文字…",
    discard: "放弃",
    cancel: "取消",
    close: "关闭",
    again: "重试",
    settings: "模型与密钥",
    noKey: "没有语音转写的密钥。请在这里填写：",
    blocked: "浏览器不允许此页面使用麦克风。请在地址栏旁允许后重试。",
    noMicrophone: "没有找到麦克风。",
    nothing: "没有听清任何内容。",
    failed: "没有转成文字：{{reason}}",
  },
}
