import { useMutation, useQuery } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { useState } from "react"

import { killTask, readTask } from "../../api/calls"
import type { Task } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { bytes, fullMoment } from "../../i18n/format"
import { useNow } from "../../lib/useNow"
import { Button, buttonLook } from "../../ui/Button"
import Confirm from "../../ui/Confirm"
import { DownloadLink } from "../../ui/DownloadLink"
import { Modal } from "../../ui/Modal"
import { Note } from "../../ui/Note"
import { OutputView } from "../../ui/text/OutputView"
import type { PartialText } from "../feed/partial-text"
import { useConversationContext } from "../shared/context"
import { stateOfTask, timeOfTask } from "./words"

interface Props {
  task: Task
  /** What it printed while this page listened. */
  printed?: PartialText
  onClose: () => void
}

/** One background task: its command, how far it has come, what it printed, and the way to end it. */
export default function TaskDialog({ task, printed, onClose }: Props) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const running = task.state === "running"
  const whole = `/api/sessions/${encodeURIComponent(sessionKey)}/tasks/${encodeURIComponent(task.id)}/output`
  return (
    <Modal wide onClose={onClose} title={t("task.title", { id: task.id })}>
      <pre tabIndex={0} role="region" aria-label={t("task.command")} className="max-h-40 overflow-auto rounded-md bg-sunken px-3.5 py-2.5 font-mono text-small break-words whitespace-pre-wrap">
        {task.command}
      </pre>
      <Facts task={task} />
      <Output task={task} printed={printed} />
      <div className="mt-4 flex flex-wrap gap-2">
        <DownloadLink href={whole} download={`${task.id}.txt`} className={buttonLook("plain")}>
          <Download size={15} aria-hidden />
          {t("task.download")}
        </DownloadLink>
        {running && <Kill task={task} />}
      </div>
    </Modal>
  )
}

function Facts({ task }: { task: Task }) {
  const t = useT()
  const language = useLanguage()
  const { skew } = useConversationContext()
  const now = useNow(task.state === "running") + skew
  const parts = [stateOfTask(t, task), timeOfTask(t, task, now), t("task.on", { runner: task.runner }), t("task.since", { date: fullMoment(language, task.started_at) })]
  return <p className="my-3 text-small text-ink-2 tabular-nums">{parts.join(" · ")}</p>
}

/** A running task shows what is heard of it now; an ended one its kept head and tail. */
function Output({ task, printed }: { task: Task; printed?: PartialText }) {
  const t = useT()
  const language = useLanguage()
  const { sessionKey } = useConversationContext()
  const running = task.state === "running"
  const { data, error } = useQuery({ queryKey: ["task", sessionKey, task.id, task.state], queryFn: () => readTask(sessionKey, task.id) })
  const text = (running ? (printed?.text ?? data?.output) : data?.output) ?? ""
  if (error) return <Note tone="danger">{error.message}</Note>
  return (
    <>
      {running && printed?.gap && <p className="mb-2 text-small text-ink-3">{t("task.gap")}</p>}
      <OutputView
        text={text}
        label={t(running ? "tools.outputSoFar" : "tools.output")}
        empty={t(running ? "task.quiet" : "tools.noOutput")}
        follow={running}
        failed={false}
      />
      {task.total > 0 && <p className="mt-2 text-small text-ink-3">{t("task.total", { size: bytes(language, task.total) })}</p>}
    </>
  )
}

function Kill({ task }: { task: Task }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => killTask(sessionKey, task.id) })
  return (
    <>
      <Button aria-disabled={isPending || isSuccess} onClick={() => !isPending && !isSuccess && setAsking(true)} className="text-danger">
        {t(isPending || isSuccess ? "task.killing" : "task.kill")}
      </Button>
      {asking && (
        <Confirm
          title={t("task.killTitle", { id: task.id })}
          text={t("task.killText")}
          action={t("task.kill")}
          onClose={() => setAsking(false)}
          onConfirm={() => mutate()}
        />
      )}
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </>
  )
}
