import { useMutation } from "@tanstack/react-query"
import { useCallback, useState } from "react"

import { askOffered, saveSubscription, type SubscribedModel, type Subscription, trySubscription } from "../api/models"
import { asProblem } from "../api/problem"
import { bodyOf, type Draft, draftOf, emptyDraft, type ModelDraft, reconnects, withService } from "./draft"
import { firstToTest } from "./provider-models"
import { useRefresh } from "./queries"
import { type Service, serviceOf, services } from "./services"

export interface FormProps {
  /** It is the installation's. */
  shared: boolean
  /** The one that is changed; without one a new one is made. */
  subscription?: Subscription
  /** All that are there. */
  all: Subscription[]
  onSaved: (saved: Subscription) => void
}

/** A subscription while somebody fills it in: asking for its models, testing it and saving it. No call keeps the key after its end. */
export function useSubscriptionForm({ shared, subscription, all, onSaved }: FormProps) {
  const taken = all.filter((other) => other.shared === shared && other.id !== subscription?.id).map(({ name }) => name)
  const [service, setService] = useState(() => (subscription ? serviceOf(subscription) : services.openai))
  const [draft, setDraft] = useState(() => (subscription ? draftOf(subscription) : emptyDraft(services.openai, taken)))
  const setModels = useCallback((change: (before: ModelDraft[]) => ModelDraft[]) => setDraft((before) => ({ ...before, models: change(before.models) })), [])
  const [picked, setPicked] = useState("")
  const [attempted, setAttempted] = useState(false)
  const refresh = useRefresh()
  const id = subscription?.id
  const body = bodyOf(draft, shared, subscription?.revision)
  const tested = draft.models.some((model) => model.id === picked) ? picked : firstToTest(draft.models)

  const asking = useMutation({ mutationFn: () => askOffered(id, body), gcTime: 0 })
  const trial = useMutation({ mutationFn: (model: string) => trySubscription(id, body, model), gcTime: 0 })
  const saving = useMutation({
    mutationFn: () => saveSubscription(id, body),
    gcTime: 0,
    onSuccess: async (saved) => {
      await refresh()
      onSaved(saved)
    },
  })

  const isNew = subscription === undefined
  /** The provider did not answer the model that is to be tested; where the form itself is wrong, saving would be refused, too. */
  const failed = trial.variables === tested && (trial.data?.passed === false || (trial.error !== null && asProblem(trial.error).passing))
  const forgetWith = (change: Partial<Draft>) => {
    saving.reset()
    if (!reconnects(change)) return
    asking.reset()
    trial.reset()
  }
  return {
    draft,
    service,
    asking,
    trial,
    saving,
    tested,
    offered: asking.data?.models ?? nothing,
    noModels: isNew && attempted && draft.models.length === 0,
    /** Saving again does so although the test failed. */
    warned: isNew && failed,
    set: (change: Partial<Draft>) => {
      forgetWith(change)
      setDraft((before) => ({ ...before, ...change }))
    },
    setModels,
    choose: (chosen: Service) => {
      forgetWith(emptyDraft(chosen, taken))
      setDraft((before) => withService(before, service, chosen, taken))
      setService(chosen)
    },
    ask: () => {
      if (!asking.isPending) asking.mutate()
    },
    pick: setPicked,
    test: () => {
      if (tested !== undefined && !trial.isPending) trial.mutate(tested)
    },
    /** Saves; a new one is tested first, unless that was done. */
    save: () => {
      setAttempted(true)
      if (saving.isPending || trial.isPending || (isNew && tested === undefined)) return
      if (!isNew || tested === undefined || trial.data?.passed || failed) saving.mutate()
      else trial.mutate(tested, { onSuccess: ({ passed }) => passed && saving.mutate() })
    },
  }
}

const nothing: SubscribedModel[] = []

export type SubscriptionFormState = ReturnType<typeof useSubscriptionForm>
