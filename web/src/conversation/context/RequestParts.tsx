import { BellRing, Bot, type LucideIcon, ScrollText, UserRound, Wrench } from "lucide-react"

import type { SentMessage, SentRequest } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { bytes } from "../../i18n/format"
import { byteLength } from "../../lib/bytes"
import { Fold } from "../../ui/Fold"
import { LongText } from "../../ui/text/LongText"

/** The parts of a request in the order in which the model reads them, each folded. */
export function RequestParts({ request }: { request: SentRequest }) {
  const t = useT()
  const tools = request.tools ?? []
  return (
    <div>
      <Part icon={ScrollText} name={t("request.system")} text={request.system} />
      {tools.length > 0 && (
        <Fold icon={Wrench} name={t("request.tools", { count: tools.length })} summary={tools.map((tool) => tool.name).join(", ")}>
          {() =>
            tools.map((tool) => (
              <Part key={tool.name} icon={Wrench} name={tool.name} text={`${tool.description}\n\n${JSON.stringify(tool.parameters, null, 2)}`} />
            ))
          }
        </Fold>
      )}
      {(request.messages ?? []).map((message, n) => (
        <MessagePart key={n} message={message} />
      ))}
      {request.reminder && <Part icon={BellRing} name={t("request.reminder")} text={request.reminder} />}
    </div>
  )
}

const icons: Record<string, LucideIcon> = { user: UserRound, assistant: Bot, tool: Wrench }

function MessagePart({ message }: { message: SentMessage }) {
  const t = useT()
  const { role, content, tool_calls: calls, tool_call_id: answers } = message
  const names = { user: t("request.user"), assistant: t("request.assistant"), tool: t("request.tool"), system: t("request.system") }
  const written = (calls ?? []).map((call) => `→ ${call.name ?? ""} ${call.arguments ?? ""}${call.id ? `  (${call.id})` : ""}`)
  const text = [answers && `(${answers})`, content, ...written].filter(Boolean).join("\n")
  const summary = (content || written[0] || "").trim().split("\n")[0]
  return <Part icon={icons[role] ?? ScrollText} name={names[role as keyof typeof names] ?? role} text={text} summary={summary} />
}

function Part({ icon, name, text, summary }: { icon: LucideIcon; name: string; text: string; summary?: string }) {
  const t = useT()
  const language = useLanguage()
  return (
    <Fold
      icon={icon}
      name={name}
      summary={summary ?? text.trim().split("\n")[0]}
      trailing={<span className="shrink-0 text-ink-3 tabular-nums">{bytes(language, byteLength(text))}</span>}
    >
      {() => <LongText text={text} label={name} empty={t("tools.noOutput")} wrap />}
    </Fold>
  )
}
