import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { runnersQuery } from "../api/queries"
import { setRunnerSandbox } from "../api/sandbox"
import type { Runner } from "../api/types"
import { useLanguage } from "../i18n"
import { moment } from "../i18n/format"
import { sandboxWords } from "../i18n/sandbox"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import Confirm from "../ui/Confirm"
import { Note } from "../ui/Note"

/** Says that a runner refuses commands or runs them without a sandbox. On the server's own runner an administrator changes that. */
export function RunnerSandbox({ runner, className }: { runner: Runner; className?: string }) {
  const say = useTable(sandboxWords)
  const language = useLanguage()
  const { sandbox, refused } = runner
  const off = sandbox?.confine === "off"
  if (!refused && !off) return null
  const { setting, changed_at: at, changed_by: name } = sandbox ?? {}
  return (
    <Note tone="warn" className={className}>
      <p>{say(off ? "off" : sandbox ? "refused" : "refusedElsewhere")}</p>
      {setting && <p className="mt-1 text-small">{say("setting", { value: sandbox?.confine ?? "" })}</p>}
      {off && at && <p className="mt-1 text-small">{say(name ? "by" : "byGone", { name: name ?? "", date: moment(language, at) })}</p>}
      {sandbox && !setting && <Change off={off} />}
    </Note>
  )
}

function Change({ off }: { off: boolean }) {
  const say = useTable(sandboxWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: setRunnerSandbox,
    onSuccess: () => client.invalidateQueries(runnersQuery),
  })
  return (
    <>
      <Button className="mt-2" disabled={isPending} onClick={() => (off ? mutate("auto") : setAsking(true))}>
        {say(off ? "runIn" : "runOff")}
      </Button>
      {error && <p role="alert" className="mt-1 text-small text-danger">{error.message}</p>}
      {asking && (
        <Confirm
          title={say("runOffTitle")}
          text={say("runOffText")}
          action={say("runOffConfirm")}
          onClose={() => setAsking(false)}
          onConfirm={() => mutate("off")}
        />
      )}
    </>
  )
}
