import type { Table } from "./table"

const en = {
  refused: "Commands are refused here, because this machine cannot confine them.",
  refusedElsewhere: "Commands are refused here, because this machine cannot confine them. Its owner can allow them without a sandbox by starting xbot-runner with --confine=off.",
  off: "Commands run without a sandbox. They have all rights of the user who runs xbot.",
  by: "Chosen by {{name}} on {{date}}.",
  byGone: "Chosen on {{date}}.",
  setting: "The setting XBOT_CONFINE={{value}} decides this. To choose here, remove it and restart the server.",
  runOff: "Run commands without a sandbox",
  runOffTitle: "Run commands without a sandbox?",
  runOffText: "Commands then have all rights of the user who runs xbot. They read, change and delete every file of that user, including xbot's own key and data, and they can stop xbot.",
  runOffConfirm: "Run without a sandbox",
  runIn: "Use the sandbox again",
}

export type SandboxWord = keyof typeof en

const zh: Record<SandboxWord, string> = {
  refused: "这台机器无法隔离命令，因此命令会被拒绝。",
  refusedElsewhere: "这台机器无法隔离命令，因此命令会被拒绝。它的所有者可以用 --confine=off 启动 xbot-runner，让命令不使用沙箱运行。",
  off: "命令不使用沙箱运行，拥有运行 xbot 的用户的全部权限。",
  by: "由 {{name}} 于 {{date}} 选择。",
  byGone: "选择于 {{date}}。",
  setting: "此项由设置 XBOT_CONFINE={{value}} 决定。如需在此选择，请删除该设置并重启服务器。",
  runOff: "不使用沙箱运行命令",
  runOffTitle: "不使用沙箱运行命令？",
  runOffText: "命令将拥有运行 xbot 的用户的全部权限：可以读取、更改和删除该用户的所有文件，包括 xbot 自身的密钥和数据，也可以停止 xbot。",
  runOffConfirm: "不使用沙箱",
  runIn: "恢复使用沙箱",
}

export const sandboxWords: Table<SandboxWord> = { en, zh }
