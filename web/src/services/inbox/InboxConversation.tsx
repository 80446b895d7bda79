import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { ArrowLeft } from "lucide-react"
import { useEffect, useState } from "react"

import { answerItem, changeItem, deleteItem, give, type Item, say as speak, type Status, take, type Taken } from "../../api/inbox"
import { useT } from "../../i18n"
import { inboxWords } from "../../i18n/inbox"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Select } from "../../ui/Select"
import { toast } from "../../ui/toasts"
import { AnswerBox } from "./AnswerBox"
import { InboxLines } from "./InboxLines"
import { inboxKey, takenQuery, talkQuery } from "./queries"

/** Which conversation of a consumer it is. */
export type Conversation = Pick<Taken, "service_id" | "conversation_id" | "title">

interface Props {
  of: Conversation
  /** What the consumer asks, if it is about that. */
  item?: Item
  /** Where closing leads. */
  back: string
  onClose: () => void
}

/** A conversation of a consumer, or what they ask in it: what was said, an answer, and who answers from now on. */
export function InboxConversation({ of: { service_id: service, conversation_id: conversation, title }, item, back, onClose }: Props) {
  const t = useT()
  const say = useTable(inboxWords)
  const client = useQueryClient()
  const [status, setStatus] = useState<Status>(item?.status ?? "handled")
  const { data, error } = useQuery(talkQuery(service, conversation))
  const { data: all, error: unknown } = useQuery(takenQuery)
  const taken = all?.some((one) => one.conversation_id === conversation)
  const changed = () => client.invalidateQueries({ queryKey: inboxKey })
  const mark = useMutation({
    mutationFn: (to: Status) => changeItem(item?.id ?? "", to),
    onSuccess: (now) => {
      setStatus(now.status)
      return changed()
    },
  })
  const { mutate } = mark
  const unread = item?.status === "unread"
  useEffect(() => {
    if (unread) mutate("read")
  }, [unread, mutate])
  const remove = useMutation({
    mutationFn: () => deleteItem(item?.id ?? ""),
    onSuccess: () => {
      toast(say("removed"))
      onClose()
      return changed()
    },
  })
  const turn = useMutation({
    mutationFn: (mine: boolean) => (mine ? take(service, conversation) : give(service, conversation)),
    onSuccess: (now) => {
      toast(say(now.taken ? "nowTaken" : "nowGiven"))
      return changed()
    },
  })
  const send = (text: string, id: string) =>
    (item ? answerItem(item.id, text, id) : speak(service, conversation, text, id)).then(() => {
      if (item) setStatus("handled")
      toast(say("sent"))
      return changed()
    })
  const failed = mark.error ?? remove.error ?? turn.error ?? unknown
  return (
    <div className="space-y-4">
      <div className="flex min-w-0 items-center gap-3">
        <Button look="quiet" onClick={onClose}>
          <ArrowLeft size={15} aria-hidden /> {back}
        </Button>
        <h3 className="min-w-0 font-semibold break-words">{title || say("untitled")}</h3>
      </div>
      {item && <p className="rounded-md border border-line p-3 break-words whitespace-pre-wrap">{item.message}</p>}
      {item?.agent_response && <p className="text-small break-words whitespace-pre-wrap text-ink-3">{say("told", { text: item.agent_response })}</p>}
      {item?.answered_by && <p className="text-small text-ink-3">{say("answered", { name: item.answered_by })}</p>}
      {error && <Note tone="danger">{error.message}</Note>}
      {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      {data && <InboxLines messages={data} />}
      <AnswerBox onSend={send} />
      <div className="flex flex-wrap items-end gap-3">
        {item && <Select label={say("status")} value={status} options={["unread", "read", "handled"] as Status[]} say={(one) => say(one)} onChange={mutate} />}
        {taken !== undefined && (
          <Button aria-disabled={turn.isPending} onClick={() => !turn.isPending && turn.mutate(!taken)}>
            {say(taken ? "give" : "take")}
          </Button>
        )}
        {item && (
          <Button look="quiet" aria-disabled={remove.isPending} onClick={() => !remove.isPending && remove.mutate()}>
            {say("remove")}
          </Button>
        )}
      </div>
      <p className="text-small text-ink-3">{say("takeHint")}</p>
      {failed && <Note tone="danger">{failed.message}</Note>}
    </div>
  )
}
