import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"

import { checkPolicy, type Policy, readPolicy, writePolicy } from "../../api/policy"
import { asProblem } from "../../api/problem"
import { useT } from "../../i18n"
import { toast } from "../../ui/toasts"
import { locate } from "./faults"

/** Milliseconds without a key before a text is checked. */
const REST = 350

const policyKey = ["policy"]

/** The query of the names of identityLinks that have an account. */
export const linksKey = ["identity links"]

/** The policy while an administrator writes it: the text, what is wrong with it, and saving. */
export function usePolicy() {
  const t = useT()
  const client = useQueryClient()
  const { data: saved, error } = useQuery({ queryKey: policyKey, queryFn: () => readPolicy(), refetchOnWindowFocus: false })
  const [draft, setDraft] = useState<string>()
  const [theirs, setTheirs] = useState<Policy>()
  const [confirmed, setConfirmed] = useState<string[]>([])
  const text = draft ?? saved?.text ?? ""
  const rested = useRested(text)
  const check = useQuery({ queryKey: ["policy check", rested, confirmed], queryFn: () => checkPolicy(rested, confirmed), enabled: draft !== undefined, staleTime: Infinity, retry: false })
  const checked = check.data && rested === text && draft !== undefined
  const transfers = checked ? check.data.transfers : []
  const save = useMutation({
    mutationFn: (version: number) => writePolicy(text, version, transfers.filter(({ name }) => confirmed.includes(name)).map(({ name }) => name)),
    onSuccess: (policy) => {
      client.setQueryData(policyKey, policy)
      void client.invalidateQueries({ queryKey: linksKey })
      setDraft(undefined)
      setConfirmed([])
      setTheirs(undefined)
      toast(t("policy.saved"))
    },
    onError: async (problem) => {
      if (asProblem(problem).status === 409) setTheirs(await readPolicy())
    },
  })
  const refused = save.error && asProblem(save.error).status !== 409 && save.variables !== undefined ? asProblem(save.error) : undefined
  const sentences = useMemo(() => {
    if (checked) return check.data.errors
    return refused ? (refused.faults.length > 0 ? refused.faults : [refused.message]) : []
  }, [checked, check.data, refused])
  return {
    saved,
    error,
    text,
    changed: draft !== undefined && draft !== saved?.text,
    checking: draft !== undefined && !checked && !check.error,
    faults: useMemo(() => locate(text, sentences), [text, sentences]),
    notes: (checked ? check.data.notes : saved?.notes) ?? [],
    transfers,
    confirmed,
    confirm: (name: string, yes: boolean) => setConfirmed((names) => (yes ? [...names, name] : names.filter((other) => other !== name))),
    failed: check.error ? asProblem(check.error).message : undefined,
    saving: save.isPending,
    theirs,
    write: setDraft,
    revert: () => {
      setDraft(undefined)
      setConfirmed([])
      save.reset()
    },
    save: () => save.mutate(saved?.version ?? 0),
    takeTheirs: () => {
      client.setQueryData(policyKey, theirs)
      setDraft(undefined)
      setTheirs(undefined)
    },
    keepMine: () => {
      if (theirs) save.mutate(theirs.version)
    },
  }
}

/** A text once nobody has changed it for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
