import { lazy, Suspense } from "react"

import { useT } from "../../i18n"
import { duration, wholeDuration } from "../../i18n/format"
import { cx } from "../../lib/cx"
import { useNow } from "../../lib/useNow"
import { Fold } from "../../ui/Fold"
import { OutputView } from "../../ui/text/OutputView"
import { UnifiedDiff } from "../../ui/text/UnifiedDiff"
import { Approval } from "../approval/Approval"
import { Arguments } from "../approval/Arguments"
import { isAsking } from "../feed/merge"
import { isSkipped, type StoryCall } from "../feed/story"
import { Pictures } from "../files/pictures/Pictures"
import { useConversationContext } from "../shared/context"
import { TaskLine } from "../tasks/TaskLine"
import { iconOf } from "./icons"

const ArgumentChanges = lazy(() => import("../approval/ArgumentChanges"))
const OffloadedOutput = lazy(() => import("./OffloadedOutput"))

interface Props {
  call: StoryCall
  /** The turn ended; a call that is not done never will be. */
  ended: boolean
}

/** One tool call: what was called with what, how it went, and behind it arguments and output. */
export function ToolStep({ call, ended }: Props) {
  const asking = isAsking(call) && !ended
  return (
    <>
      {!asking && (
        <Fold
          icon={iconOf(call.name)}
          name={call.name}
          summary={call.summary ?? ""}
          summaryIsCode
          trailing={<StepState call={call} ended={ended} />}
        >
          {() => <StepBody call={call} ended={ended} />}
        </Fold>
      )}
      {call.approval && <Approval call={call} approval={call.approval} asking={asking} />}
      {call.task && <TaskLine id={call.task} />}
    </>
  )
}

function StepState({ call, ended }: Props) {
  const t = useT()
  const { skew } = useConversationContext()
  const running = call.state === "running" && !ended
  const now = useNow(running) + skew
  if (running) {
    const elapsed = call.started_at ? wholeDuration(t, (now - Date.parse(call.started_at)) / 1000) : ""
    return <State words={t("tools.running")} time={elapsed} tone="text-accent" />
  }
  if (call.state !== "done") return <State words={t(ended ? "tools.interrupted" : "tools.open")} tone="text-ink-3" />
  const time = call.started_at && call.finished_at ? duration(t, Date.parse(call.finished_at) - Date.parse(call.started_at)) : ""
  if (call.approval?.state === "denied") return <State words={t("tools.denied")} tone="text-ink-3" />
  if (isSkipped(call)) return <State words={t("tools.skipped")} tone="text-ink-3" />
  if (call.is_error) return <State words={t("tools.failed")} time={time} tone="text-danger" />
  return <State words={t("tools.done")} quiet time={time} tone="text-ink-3" />
}

/** `quiet` words are only read aloud: the ordinary case needs no ink. */
function State({ words, time, tone, quiet }: { words: string; time?: string; tone: string; quiet?: boolean }) {
  return (
    <span className={cx("flex shrink-0 gap-1.5 tabular-nums", tone)}>
      <span className={cx(quiet && "sr-only")}>{words}</span>
      {time && <span>{time}</span>}
    </span>
  )
}

function StepBody({ call, ended }: Props) {
  const t = useT()
  const running = call.state !== "done" && !ended
  if (call.offload && call.state === "done") {
    return (
      <div className="space-y-3">
        <Arguments json={call.arguments} />
        <Suspense>
          <OffloadedOutput call={call} />
        </Suspense>
      </div>
    )
  }
  const { approval } = call
  const output = call.state === "done" ? call.result : call.output?.text
  return (
    <div className="space-y-3">
      {approval?.asked !== undefined && (
        <Suspense>
          <ArgumentChanges asked={approval.asked} ran={call.arguments} />
        </Suspense>
      )}
      {call.diff ? <UnifiedDiff diff={call.diff} label={t("tools.changed")} /> : !approval?.questions?.length && <Arguments json={call.arguments} />}
      <OutputView
        text={output ?? ""}
        label={t(running ? "tools.outputSoFar" : "tools.output")}
        empty={t(running ? "tools.noOutputYet" : "tools.noOutput")}
        follow={running}
        failed={call.is_error === true}
      />
      <Pictures pictures={call.pictures} />
    </div>
  )
}
