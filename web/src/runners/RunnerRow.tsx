import { useMutation, useQueryClient } from "@tanstack/react-query"
import { KeyRound, Trash2 } from "lucide-react"
import { useState } from "react"

import { renewRunner, revokeRunner } from "../api/calls"
import { runnersQuery } from "../api/queries"
import type { Runner } from "../api/types"
import { type Translate, useLanguage, useT } from "../i18n"
import { moment } from "../i18n/format"
import { cx } from "../lib/cx"
import Confirm from "../ui/Confirm"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { RunnerSandbox } from "./RunnerSandbox"
import type { ShownToken } from "./RunnerToken"

interface Props {
  runner: Runner
  inUse: boolean
  onToken: (token: ShownToken) => void
}

/** One place where commands can run: whether it is there, what it is, and how commands are held in there. */
export function RunnerRow({ runner, inUse, onToken }: Props) {
  const t = useT()
  const language = useLanguage()
  const { online, seen_at: seen } = runner
  const state = online ? t("runners.online") : seen ? t("runners.seen", { date: moment(language, seen) }) : t("runners.never")
  return (
    <>
      <div className="min-w-0 flex-1">
        <label htmlFor={`runner-${runner.name}`} className="block">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-all">{runner.name === "__docker__" ? t("runners.docker") : runner.name}</span>
            <span className={cx("flex items-center gap-1.5 text-small", online ? "text-accent" : "text-ink-3")}>
              <span aria-hidden className={cx("size-1.5 rounded-full", online ? "bg-accent" : "bg-line-strong")} />
              {state}
            </span>
            {inUse && <span className="rounded-sm bg-accent-soft px-1.5 text-small text-accent">{t("runners.inUse")}</span>}
          </span>
          <span className="block text-small text-ink-2">{about(t, runner)}</span>
          {runner.confinement && <span className="block text-small text-ink-3">{t("runners.confinement", { words: runner.confinement })}</span>}
        </label>
        <RunnerSandbox runner={runner} className="mt-2" />
      </div>
      {runner.revocable && <Keys runner={runner} onToken={onToken} />}
    </>
  )
}

/** What a runner is, in a line: kind, system, version, folder, and its model if it brings one. */
function about(t: Translate, runner: Runner): string {
  const system = [runner.os, runner.arch].filter(Boolean).join("/")
  const version = runner.version && t("runners.version", { version: runner.version })
  const model = runner.llm && t("runners.model", { model: `${runner.llm.provider}/${runner.llm.model}` })
  return [t(`runners.kind_${runner.kind}`), system, version, runner.workspace, model].filter(Boolean).join(" · ")
}

function Keys({ runner: { name }, onToken }: Pick<Props, "runner" | "onToken">) {
  const t = useT()
  const client = useQueryClient()
  const [asking, setAsking] = useState<"renew" | "revoke">()
  const again = () => client.invalidateQueries(runnersQuery)
  const renewal = useMutation({ mutationFn: () => renewRunner(name), onSuccess: (made) => { onToken({ name, ...made }); return again() } })
  const removal = useMutation({ mutationFn: () => revokeRunner(name), onSuccess: again })
  const problem = renewal.error ?? removal.error
  return (
    <div className="shrink-0">
      <IconButton small label={t("runners.renew", { name })} onClick={() => setAsking("renew")}>
        <KeyRound size={15} aria-hidden />
      </IconButton>
      <IconButton small label={t("runners.revoke", { name })} onClick={() => setAsking("revoke")}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
      {asking && (
        <Confirm
          title={t(`runners.${asking}Title`, { name })}
          text={t(`runners.${asking}Text`)}
          action={t(`runners.${asking}Confirm`)}
          onClose={() => setAsking(undefined)}
          onConfirm={() => (asking === "renew" ? renewal : removal).mutate()}
        />
      )}
      {problem && <Note tone="danger" className="mt-1 text-small">{problem.message}</Note>}
    </div>
  )
}
