import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"

import { type Bot, type ChannelAccount, checkChannel, type ChannelDraft, type ChannelKind, saveChannel } from "../api/channels"
import { asProblem } from "../api/problem"
import { channelsQuery } from "./queries"

/** Milliseconds without a key before a form is checked. */
const REST = 350

/** The settings of a bot while an administrator fills them in: what is wrong with them, and saving. */
export function useDraft(kind: ChannelKind, account: ChannelAccount | undefined, onSaved: (account: ChannelAccount) => void) {
  const client = useQueryClient()
  const [name, setName] = useState(account?.account ?? "")
  const [settings, setSettings] = useState<Record<string, string>>(account?.settings ?? {})
  const [forget, setForget] = useState<string[]>([])
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const wanted = useMemo(() => ({ account: name.trim(), draft: { settings, forget, revision: account?.revision ?? 0 } }), [name, settings, forget, account])
  const rested = useRested(wanted)
  const check = useQuery({
    queryKey: ["channel check", kind.name, rested],
    queryFn: () => checkChannel({ channel: kind.name, account: rested.account }, rested.draft),
    staleTime: Infinity,
    gcTime: 0, // the key holds what was typed
    retry: false,
  })
  const save = useMutation({
    mutationFn: ({ bot, draft }: { bot: Bot; draft: ChannelDraft }) => saveChannel(bot, draft, account?.enabled ?? true),
    gcTime: 0,
    onSuccess: async (saved) => {
      await client.invalidateQueries(channelsQuery)
      onSaved(saved)
    },
  })
  const checked = rested === wanted && check.data !== undefined
  const faults = checked ? check.data : []
  const touch = (option: string) => setTouched((before) => new Set(before).add(option))
  return {
    name,
    settings,
    forget,
    checked,
    faults,
    /** What is wrong with an option, once it is fair to say so. */
    faultOf: (option: string) => faults.find((fault) => fault.option === option && (tried || touched.has(option) || fault.kind !== "missing")),
    saving: save.isPending,
    conflict: save.error !== null && asProblem(save.error).status === 409,
    failed: save.error ?? check.error,
    rename: (text: string) => {
      setName(text)
      touch("account")
    },
    set: (option: string, value: string) => {
      setSettings({ ...settings, [option]: value })
      touch(option)
    },
    setForget: (option: string, on: boolean) => setForget(on ? [...forget, option] : forget.filter((other) => other !== option)),
    save: () => {
      setTried(true)
      if (checked && faults.length === 0 && !save.isPending) save.mutate({ bot: { channel: kind.name, account: wanted.account }, draft: wanted.draft })
    },
  }
}

/** A value once nobody has changed it for a moment. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
