import { ChevronLeft, ChevronRight, X } from "lucide-react"
import { lazy, Suspense, useMemo } from "react"

import { useT } from "../../i18n"
import { IconButton } from "../../ui/IconButton"
import { Section } from "../../ui/Section"
import { groupByTurn } from "../feed/groups"
import type { FeedState } from "../feed/state"
import { TaskItems } from "../tasks/TaskItems"
import { SessionFacts } from "./SessionFacts"
import { TodoItems } from "./TodoItems"
import { TurnDetails } from "./TurnDetails"

const SubagentsSection = lazy(() => import("../subagents/SubagentsSection"))
const GroupsSection = lazy(() => import("../subagents/GroupsSection"))
const OtherTodos = lazy(() => import("./OtherTodos"))
const FilesSection = lazy(() => import("../files/FilesSection"))

interface Props {
  feed: FeedState
  chosen?: string
  onChoose: (turn: string) => void
  onClose: () => void
}

/** One turn of the conversation, and what belongs to the conversation as a whole. */
export default function TurnPanel({ feed, chosen, onChoose, onClose }: Props) {
  const t = useT()
  const groups = useMemo(() => groupByTurn(feed.messages).filter((group) => group.turn !== undefined), [feed.messages])
  const found = groups.findIndex((group) => group.turn === chosen)
  const at = found >= 0 ? found : groups.length - 1
  const group = groups[at]
  const turnFeed = group?.turn ? feed.turns[group.turn] : undefined
  const go = (to: number) => {
    const turn = groups[to]?.turn
    if (turn) onChoose(turn)
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-13 shrink-0 items-center gap-1 pr-2 pl-5">
        <h2 className="flex-1 truncate font-semibold">
          {group ? t("details.turn", { n: at + 1, count: groups.length }) : t("details.title")}
        </h2>
        <IconButton small label={t("details.previous")} disabled={at <= 0} onClick={() => go(at - 1)}>
          <ChevronLeft size={17} aria-hidden />
        </IconButton>
        <IconButton small label={t("details.next")} disabled={at >= groups.length - 1} onClick={() => go(at + 1)}>
          <ChevronRight size={17} aria-hidden />
        </IconButton>
        <IconButton small label={t("common.close")} onClick={onClose}>
          <X size={17} aria-hidden />
        </IconButton>
      </div>
      <div className="flex-1 space-y-6 overflow-y-auto px-5 pt-2 pb-6">
        {group && turnFeed?.turn ? (
          <TurnDetails turn={turnFeed.turn} messages={group.messages} feed={turnFeed} />
        ) : (
          <p className="text-small text-ink-3">{t("details.none")}</p>
        )}
        {feed.todos.length > 0 && (
          <Section title={t("details.todos")}>
            <TodoItems todos={feed.todos} />
          </Section>
        )}
        {feed.tasks.length > 0 && (
          <Section title={t("task.all")}>
            <TaskItems tasks={feed.tasks} />
          </Section>
        )}
        {feed.loaded && (
          <Suspense>
            <SubagentsSection below={feed.below} />
            <GroupsSection below={feed.below} />
            <OtherTodos />
            <FilesSection />
          </Suspense>
        )}
        {feed.session && <SessionFacts session={feed.session} />}
      </div>
    </div>
  )
}
