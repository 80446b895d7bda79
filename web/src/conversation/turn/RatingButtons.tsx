import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { ThumbsDown, ThumbsUp } from "lucide-react"
import { type SubmitEvent, useState } from "react"

import { listRatings, rateReply, type Rating, removeRating } from "../../api/ratings"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { ratingsWords } from "../../i18n/ratings"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"

/** Rates a reply. A second press removes the rating; a comment may follow the first. */
export default function RatingButtons({ message }: { message: Message }) {
  const say = useTable(ratingsWords)
  const { sessionKey } = useConversationContext()
  const client = useQueryClient()
  const queryKey = ["ratings", sessionKey]
  const { data } = useQuery({ queryKey, queryFn: () => listRatings(sessionKey), staleTime: Infinity, retry: false })
  const rating = data?.find(({ message_id }) => message_id === message.id)
  const [commenting, setCommenting] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: ({ helpful, comment = "" }: { helpful?: boolean; comment?: string }) =>
      helpful === undefined ? removeRating(sessionKey, message.id) : rateReply(sessionKey, message.id, helpful, comment),
    onSuccess: (_, { helpful, comment }) => {
      setCommenting(helpful !== undefined && comment === undefined)
      if (comment !== undefined) toast(say("thanks"))
      return client.invalidateQueries({ queryKey })
    },
    onError: (error) => toast(say("failed", { reason: error.message })),
  })
  const press = (helpful: boolean) => mutate({ helpful: rating?.helpful === helpful ? undefined : helpful })
  return (
    <>
      <IconButton small label={say(rating?.helpful === true ? "removeUp" : "up")} aria-pressed={rating?.helpful === true} disabled={isPending} onClick={() => press(true)}>
        <ThumbsUp size={15} aria-hidden fill={rating?.helpful === true ? "currentColor" : "none"} />
      </IconButton>
      <IconButton small label={say(rating?.helpful === false ? "removeDown" : "down")} aria-pressed={rating?.helpful === false} disabled={isPending} onClick={() => press(false)}>
        <ThumbsDown size={15} aria-hidden fill={rating?.helpful === false ? "currentColor" : "none"} />
      </IconButton>
      {commenting && rating && <Comment rating={rating} onSend={(comment) => mutate({ helpful: rating.helpful, comment })} onCancel={() => setCommenting(false)} />}
    </>
  )
}

interface CommentProps {
  rating: Rating
  onSend: (comment: string) => void
  onCancel: () => void
}

function Comment({ rating, onSend, onCancel }: CommentProps) {
  const t = useT()
  const say = useTable(ratingsWords)
  const [text, setText] = useState(rating.comment ?? "")
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSend(text.trim())
  }
  return (
    <form onSubmit={submit} className="order-last my-2 flex w-full flex-wrap items-end gap-2">
      <Field className="min-w-60 flex-1" label={say("comment")} hint={say("commentHint")} value={text} onChange={(event) => setText(event.target.value)} maxLength={1000} autoFocus />
      <Button look="quiet" onClick={onCancel}>
        {t("common.cancel")}
      </Button>
      <Button type="submit">{say("send")}</Button>
    </form>
  )
}
