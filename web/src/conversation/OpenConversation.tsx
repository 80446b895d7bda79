import { type ComponentType, lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react"

import { useAccount } from "../account/account"
import { useAgentModel } from "../api/queries"
import { useT } from "../i18n"
import { messageId } from "../lib/ids"
import { useStore } from "../lib/store"
import { FilesContext } from "../markdown/files"
import type { Unsent } from "../outbox/outbox"
import { useShell } from "../ui/shell-context"
import { Announcer } from "./Announcer"
import { Choices } from "./choice/Choices"
import { useChoices } from "./choice/useChoices"
import type { ClientActionsProps } from "./client-actions"
import type { OwnCommand } from "./composer/commands"
import { Composer } from "./composer/Composer"
import { sentTexts } from "./composer/recall"
import { useDraft } from "./composer/useDraft"
import { ConnectionNote } from "./ConnectionNote"
import { ContextRing } from "./context/ContextRing"
import { useFill } from "./context/useFill"
import { DetailsPanel } from "./details/DetailsPanel"
import { requestEdit } from "./edit-requests"
import { type FeedState, runningTurn } from "./feed/state"
import { DropZone } from "./files/DropZone"
import { useUploads } from "./files/useUploads"
import { Header } from "./Header"
import { MissingConversation } from "./MissingConversation"
import { ConversationContext } from "./shared/context"
import { useDetails } from "./shared/useDetails"
import { Timeline } from "./Timeline"
import { TodoStrip } from "./TodoStrip"
import { useConversation } from "./useConversation"
import { useStop } from "./useStop"

const FileImage = lazy(() => import("./files/FileImage"))
const ParentNote = lazy(() => import("./subagents/ParentNote"))
const ApprovalStrip = lazy(() => import("./approval/ApprovalStrip"))
const TaskStrip = lazy(() => import("./tasks/TaskStrip"))
const FilesDialog = lazy(() => import("./files/browser/FilesDialog"))
const TaskDialog = lazy(() => import("./tasks/TaskDialog"))
const ReadOnlyNote = lazy(() => import("./subagents/ReadOnlyNote"))

/** One conversation: what was said, the composer under it, and the details beside it on demand. */
export function OpenConversation({ sessionKey, Actions }: { sessionKey: string; Actions: ComponentType<ClientActionsProps> }) {
  const t = useT()
  const { outbox } = useAccount()
  const { show } = useShell()
  const { conversation, feed, link, skew, unsent, running, asking } = useConversation(sessionKey)
  const { stop, stopping } = useStop(sessionKey, running)
  const details = useDetails()
  const fill = useFill(sessionKey, feed, running)
  const [text, write] = useDraft(sessionKey)
  const uploads = useUploads(sessionKey, sessionKey, nothingToDo)
  const { chosen, choose } = useChoices(sessionKey, feed.session)
  const fallback = useAgentModel(feed.session?.agent)
  const [task, showTask] = useState<string>()
  const [file, showFile] = useState<{ path?: string }>()
  const openFile = useCallback((path?: string) => showFile({ path }), [])
  const files = useMemo(() => ({ open: openFile, Image: FileImage }), [openFile])

  const title = feed.session?.title || firstWords(feed, unsent) || t("session.untitled")
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`
  }, [title, t])
  const sent = useMemo(() => sentTexts(feed, unsent), [feed, unsent])
  const among = feed.session?.chat_type === "subagent"
  const shared = useMemo(
    () => ({ sessionKey, link, reconnected: feed.connections > 1, stopping, skew, among, showDetails: details.show, openFile, tasks: feed.tasks, todos: feed.todos, showTask }),
    [sessionKey, link, feed.connections, stopping, skew, among, details.show, openFile, feed.tasks, feed.todos],
  )
  const runCommand = (name: OwnCommand) => {
    if (name === "stop") stop()
    else show("help")
  }

  const answered = feed.session?.once === true && feed.loaded && running === undefined && feed.messages.length > 0
  const action = useStore(conversation.action)
  const open = feed.tasks.find((candidate) => candidate.id === task)

  if (link === "missing" && unsent.length === 0 && !feed.loaded) return <MissingConversation />
  return (
    <ConversationContext value={shared}>
      <FilesContext value={files}>
        <main id="main" tabIndex={-1} aria-label={t("conversation.label")} className="flex h-full min-w-0 flex-1 flex-col outline-none">
          <Header title={title} session={feed.session} onFiles={feed.loaded ? () => openFile() : undefined} details={{ open: details.open && details.view === "turn", toggle: details.toggle }} />
          {among && (
            <div className="flex h-8 shrink-0 items-center gap-1.5 px-4 text-small md:px-5">
              <Suspense>
                <ParentNote details={details.open} />
              </Suspense>
            </div>
          )}
          <DropZone onFiles={uploads.addFiles}>
            {feed.loaded || unsent.length > 0 ? (
              <Timeline conversation={conversation} feed={feed} unsent={unsent} running={running} onEdit={write} />
            ) : (
              <p role="status" className="flex-1 pt-16 text-center text-ink-3">
                {t("conversation.loading")}
              </p>
            )}
            <div className="mx-auto w-full max-w-column shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] lg:px-0 lg:pb-5">
              <ConnectionNote link={link} onRetry={conversation.retry} />
              <Suspense>{running !== undefined && (asking || feed.turns[running]?.turn?.allows) && <ApprovalStrip key={running} feed={feed} turn={running} />}</Suspense>
              <TodoStrip todos={feed.todos} />
              <Suspense>{feed.connections > 0 && <TaskStrip tasks={feed.tasks} below={feed.below} />}</Suspense>
              {answered ? (
                <Suspense>
                  <ReadOnlyNote />
                </Suspense>
              ) : (
                <Composer
                  text={text}
                  onText={write}
                  busy={running !== undefined}
                  stopping={stopping}
                  sent={sent}
                  onSend={(said) => outbox.send({ id: messageId(), key: sessionKey, text: said, fresh: false })}
                  onCommand={runCommand}
                  onStop={stop}
                  onEditWaiting={() => editLast(sessionKey, feed)}
                  choices={<Choices chosen={chosen} fallback={fallback} onChoose={choose} />}
                  findIn={feed.loaded ? sessionKey : undefined}
                  beside={fill && <ContextRing fill={fill} open={details.open && details.view === "context"} onToggle={details.toggleContext} />}
                  {...uploads}
                />
              )}
            </div>
          </DropZone>
          <Announcer turns={feed.turns} running={running} asking={asking} />
        </main>
        <Suspense>{action && <Actions sessionKey={sessionKey} action={action} typing={text !== ""} details={details} onFiles={openFile} />}</Suspense>
        <Suspense>{open && <TaskDialog task={open} printed={feed.taskOutputs[open.call_id]} onClose={() => showTask(undefined)} />}</Suspense>
        <Suspense>{file && <FilesDialog key={file.path} start={file.path} busy={running !== undefined} onClose={() => showFile(undefined)} />}</Suspense>
        <DetailsPanel feed={feed} chosen={details.turn} view={details.view} open={details.open} onChoose={details.choose} onClose={details.close} />
      </FilesContext>
    </ConversationContext>
  )
}

/** The session of an open conversation is there already. */
const nothingToDo = () => Promise.resolve()

/** Opens the last waiting message for a change, while there is a turn that it waits for. */
function editLast(key: string, feed: FeedState): boolean {
  const last = feed.queued.at(-1)
  return last !== undefined && runningTurn(feed) !== undefined && requestEdit(key, last.inbox_id)
}

/** Characters of a first message that stand for a title until the server has made one. */
const TITLE_LENGTH = 60

function firstWords(feed: FeedState, unsent: Unsent[]): string | undefined {
  const first = feed.messages[0]?.content ?? feed.queued[0]?.text ?? unsent[0]?.text
  return first?.trim().split("\n")[0]?.slice(0, TITLE_LENGTH)
}
