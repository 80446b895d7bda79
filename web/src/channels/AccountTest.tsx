import { useMutation, useQueryClient } from "@tanstack/react-query"
import { CircleCheck, CircleDashed, CircleX } from "lucide-react"
import { type SubmitEvent, useState } from "react"

import { type Bot, type ChannelFinding, testChannel } from "../api/channels"
import { useLanguage } from "../i18n"
import { channelWords, type ChannelWord } from "../i18n/channels"
import { moment } from "../i18n/format"
import { type Say, useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { channelsQuery } from "./queries"

/** Tries a bot against its platform, with a message to a place if one is given, and shows what came of each step. */
export function AccountTest({ account: bot, name }: { account: Bot; name: string }) {
  const say = useTable(channelWords)
  const client = useQueryClient()
  const [to, setTo] = useState("")
  const test = useMutation({ mutationFn: () => testChannel(bot, to.trim()), onSettled: () => client.invalidateQueries(channelsQuery) })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!test.isPending) test.mutate()
  }
  return (
    <section aria-label={say("results", { name })} className="space-y-3 rounded-md border border-line p-3">
      <form className="flex flex-wrap items-start gap-2" onSubmit={submit} noValidate>
        <Field className="min-w-48 flex-1" label={say("to")} hint={say("toHint")} value={to} onChange={(event) => setTo(event.target.value)} autoCapitalize="none" spellCheck={false} maxLength={256} />
        <Button type="submit" look="primary" className="mt-6.5 h-10" aria-disabled={test.isPending}>
          {say(test.isPending ? "testing" : "test")}
        </Button>
      </form>
      {test.error && <Note tone="danger">{test.error.message}</Note>}
      {test.data && !test.isPending && (
        <div role="status" className="space-y-2">
          <p className={cx("font-medium", test.data.passed ? "text-accent" : "text-danger")}>{say(test.data.passed ? "passed" : "notPassed")}</p>
          <ul className="space-y-1.5">
            {test.data.findings.map((finding) => (
              <Finding key={`${finding.step} ${finding.what ?? ""}`} finding={finding} />
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

const icons = { ok: CircleCheck, failed: CircleX, missing: CircleX, untested: CircleDashed }
const tones = { ok: "text-accent", failed: "text-danger", missing: "text-danger", untested: "text-ink-3" }

function Finding({ finding }: { finding: ChannelFinding }) {
  const say = useTable(channelWords)
  const language = useLanguage()
  const Icon = icons[finding.state]
  const what = finding.step === "events" && finding.what ? moment(language, finding.what) : finding.what
  return (
    <li className="flex gap-2 text-small">
      <Icon size={15} aria-hidden className={cx("mt-0.5 shrink-0", tones[finding.state])} />
      <span className="min-w-0 break-words">
        <span className="font-medium">{say(finding.step)}</span> <span className={tones[finding.state]}>{say(finding.state)}</span>
        {what && <span className="text-ink-2"> · {what}</span>}
        {finding.state !== "ok" && <span className="block text-ink-2">{wordsOf(say, finding)}</span>}
      </span>
    </li>
  )
}

/** What is wrong and what to do; what was not tested has few reasons, which are known here. */
function wordsOf(say: Say<ChannelWord>, { step, state, text }: ChannelFinding): string {
  if (state !== "untested") return text ?? ""
  if (step === "events") return say("noEventYet")
  return step === "message" && text?.startsWith("no message") ? say("noMessage") : say("isOff")
}
