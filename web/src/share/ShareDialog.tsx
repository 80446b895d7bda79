import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { createShare, listShares, revokeShare, type ShareLink } from "../api/shares"
import { useLanguage } from "../i18n"
import { moment } from "../i18n/format"
import { shareWords } from "../i18n/shares"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { LinkNote } from "../ui/LinkNote"
import { Modal } from "../ui/Modal"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { Select } from "../ui/Select"

/** Days that a link may be good. */
const lives = [1, 7, 30, 90]

const sharesKey = (key: string) => ["shares", key]

/** Makes, lists and revokes the links by which anybody reads a conversation. */
export default function ShareDialog({ sessionKey, title, onClose }: { sessionKey: string; title: string; onClose: () => void }) {
  const say = useTable(shareWords)
  return (
    <Modal onClose={onClose} title={say("title", { title })} wide>
      <p className="text-ink-2">{say("lead")}</p>
      <NewLink sessionKey={sessionKey} />
      <div className="mt-6">
        <Links sessionKey={sessionKey} />
      </div>
    </Modal>
  )
}

function NewLink({ sessionKey }: { sessionKey: string }) {
  const say = useTable(shareWords)
  const client = useQueryClient()
  const [days, setDays] = useState(7)
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => createShare(sessionKey, days),
    onSuccess: () => client.invalidateQueries({ queryKey: sharesKey(sessionKey) }),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) mutate()
  }
  return (
    <>
      <form className="mt-4 flex flex-wrap items-end gap-2" onSubmit={submit}>
        <Select label={say("days")} value={days} options={lives} say={(option) => (option === 1 ? say("forDay") : say("forDays", { days: option }))} onChange={setDays} />
        <Button type="submit" look="primary" className="h-10" aria-disabled={isPending}>
          {say(isPending ? "making" : "make")}
        </Button>
      </form>
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
      {data && <LinkNote text={say("once")} link={data.link} />}
    </>
  )
}

function Links({ sessionKey }: { sessionKey: string }) {
  const say = useTable(shareWords)
  const { data, error } = useQuery({ queryKey: sharesKey(sessionKey), queryFn: () => listShares(sessionKey) })
  return (
    <Section title={say("links")}>
      {error && <Note tone="danger">{error.message}</Note>}
      {data?.length === 0 && <p className="py-2 text-ink-2">{say("none")}</p>}
      <ul className="divide-y divide-line">
        {data?.map((link) => (
          <Row key={link.id} sessionKey={sessionKey} link={link} />
        ))}
      </ul>
    </Section>
  )
}

function Row({ sessionKey, link }: { sessionKey: string; link: ShareLink }) {
  const say = useTable(shareWords)
  const language = useLanguage()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeShare(sessionKey, link.id),
    onSettled: () => client.invalidateQueries({ queryKey: sharesKey(sessionKey) }),
  })
  const made = moment(language, link.made_at)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-40 flex-1">
        <span className="block">{say("made", { date: made })}</span>
        <span className="block text-small text-ink-3">{say("until", { date: moment(language, link.expires_at) })}</span>
      </span>
      <Button look="quiet" aria-label={say("revokeLabel", { date: made })} disabled={isPending} onClick={() => mutate()}>
        {say("revoke")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </li>
  )
}
