import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { type DirectChat, readTurnNotices, setTurnNotices, type TurnNotices as Wanted } from "../api/policy"
import { channelName } from "../channels/place"
import { useT } from "../i18n"
import { useTable } from "../i18n/table"
import { turnNoticeWords } from "../i18n/turnNotices"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { Select } from "../ui/Select"
import { toast } from "../ui/toasts"

const nameOf = ({ channel, account, peer }: DirectChat) => [channel, account ?? "", peer].join(" ")

/** Where on a platform the person is told of their long turns. */
export default function TurnNotices() {
  const say = useTable(turnNoticeWords)
  const { data, error } = useQuery({ queryKey: ["turn-notices"], queryFn: readTurnNotices, retry: false })
  return (
    <Section title={say("title")}>
      <p className="mb-3 text-ink-2">{say("lead")}</p>
      {error && <Note tone="danger">{error.message}</Note>}
      {data && (data.chats?.length ? <Choice wanted={data} chats={data.chats} /> : <p className="text-ink-3">{say("none")}</p>)}
    </Section>
  )
}

function Choice({ wanted, chats }: { wanted: Wanted; chats: DirectChat[] }) {
  const t = useT()
  const say = useTable(turnNoticeWords)
  const client = useQueryClient()
  const [to, setTo] = useState(wanted.to ? nameOf(wanted.to) : "")
  const [seconds, setSeconds] = useState(String(wanted.after_seconds))
  const { mutate, isPending, error } = useMutation({
    mutationFn: setTurnNotices,
    onSuccess: (stands) => {
      client.setQueryData(["turn-notices"], stands)
      toast(say("saved"))
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) mutate({ to: chats.find((chat) => nameOf(chat) === to), after_seconds: to === "" ? 60 : Number(seconds) })
  }
  return (
    <form onSubmit={submit} noValidate aria-label={say("title")} className="space-y-3">
      <div className="flex flex-wrap gap-4">
        <Select
          label={say("where")}
          value={to}
          options={["", ...chats.map(nameOf)]}
          say={(option) => {
            const chat = chats.find((one) => nameOf(one) === option)
            return chat ? say("chat", { channel: channelName(t, chat.channel), peer: chat.peer }) : say("nowhere")
          }}
          onChange={setTo}
        />
        {to !== "" && (
          <Field
            type="number"
            inputMode="numeric"
            min={10}
            max={86400}
            step={1}
            label={say("seconds")}
            hint={say("range")}
            value={seconds}
            onChange={({ target }) => setSeconds(target.value)}
          />
        )}
      </div>
      {error && <Note tone="danger">{error.message}</Note>}
      <Button type="submit" aria-disabled={isPending}>
        {say("save")}
      </Button>
    </form>
  )
}
