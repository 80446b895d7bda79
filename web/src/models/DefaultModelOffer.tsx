import { useMutation } from "@tanstack/react-query"

import { chooseModels, type Subscription } from "../api/models"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { toast } from "../ui/toasts"
import { useRefresh } from "./queries"

interface Props {
  subscription: Subscription
  /** The id of its model that is to answer, without the subscription's name. */
  model: string
  onDone: () => void
}

/** Offers that a model of one's own answers from now on, where the demo still does. */
export function DefaultModelOffer({ subscription: { name }, model, onDone }: Props) {
  const say = useTable(modelsWords)
  const refresh = useRefresh()
  const choice = useMutation({
    mutationFn: () => chooseModels({ model: `${name}/${model}` }),
    onSuccess: async ({ usual }) => {
      await refresh()
      toast(say("answersNow", { model: usual }))
      onDone()
    },
  })
  return (
    <div className="space-y-2 rounded-md bg-accent-soft px-3 py-2.5">
      <p role="status">{say("offer", { name })}</p>
      {choice.error && <Note tone="danger">{choice.error.message}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" aria-disabled={choice.isPending} onClick={() => !choice.isPending && choice.mutate()}>
          {say("let")}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {say("notNow")}
        </Button>
      </div>
    </div>
  )
}
