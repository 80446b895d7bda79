import { useMemo } from "react"

import type { Message } from "../../api/types"
import { type Table, useTable } from "../../i18n/table"
import { Section } from "../../ui/Section"
import { UnifiedDiff } from "../../ui/text/UnifiedDiff"
import { callsOfStep } from "../feed/merge"
import type { TurnFeed } from "../feed/state"
import { useConversationContext } from "../shared/context"
import { changedFiles } from "./file-changes"

const words: Table<"title" | "changes" | "open"> = {
  en: { title: "Changed files", changes: "Changes of {{file}}", open: "Open {{file}}" },
  zh: { title: "改动的文件", changes: "{{file}} 的改动", open: "打开 {{file}}" },
}

/** What a turn changed with its file tools, file by file. What its commands changed is not known. */
export default function ChangedFiles({ messages, feed }: { messages: Message[]; feed: TurnFeed }) {
  const say = useTable(words)
  const { openFile } = useConversationContext()
  const files = useMemo(() => {
    const answers = messages.filter(({ role }) => role === "assistant")
    return changedFiles(answers.flatMap((message) => callsOfStep(message, message.step, feed.calls)))
  }, [messages, feed.calls])
  if (files.length === 0) return null
  return (
    <Section title={say("title")}>
      <ul className="space-y-1 text-small">
        {files.map(({ name, diffs, added, removed }) => (
          <li key={name}>
            <details>
              <summary className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-1 hover:bg-hover">
                <span className="min-w-0 flex-1 truncate font-mono">{name}</span>
                <span className="shrink-0 text-accent tabular-nums">+{added}</span>
                <span className="shrink-0 text-danger tabular-nums">−{removed}</span>
              </summary>
              {diffs.map((diff, n) => (
                <UnifiedDiff key={n} diff={diff} label={say("changes", { file: name })} />
              ))}
              <button type="button" onClick={() => openFile(name)} className="mt-1 rounded-sm text-accent underline underline-offset-3">
                {say("open", { file: name })}
              </button>
            </details>
          </li>
        ))}
      </ul>
    </Section>
  )
}
