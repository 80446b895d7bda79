import { useMutation, useQuery } from "@tanstack/react-query"

import { createLinkCode, listIdentities } from "../api/policy"
import { useT } from "../i18n"
import { channelName } from "../sidebar/place"
import { Button } from "../ui/Button"
import { CopyButton } from "../ui/CopyButton"
import { Note } from "../ui/Note"

/** How a person shows on another channel that both are the same. */
export default function Identities() {
  const t = useT()
  const { mutate, data, error, isPending } = useMutation({ mutationFn: createLinkCode })
  const { data: known = [] } = useQuery({ queryKey: ["identities"], queryFn: listIdentities, retry: false })
  const line = data && `/link ${data.code}`
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{t("identities.lead")}</p>
      {known.length > 0 && (
        <ul aria-label={t("identities.known")} className="divide-y divide-line">
          {known.map(({ channel, account, peer }) => (
            <li key={`${channel} ${account ?? ""} ${peer}`} className="py-2">
              <span className="font-medium">{channelName(t, channel)}</span> <span className="font-mono text-[0.75rem] text-ink-3">{peer}</span>
            </li>
          ))}
        </ul>
      )}
      {error && <Note tone="danger">{error.message}</Note>}
      {line && (
        <div role="status" className="space-y-2 rounded-md bg-accent-soft px-3 py-2.5">
          <p>{t("identities.send")}</p>
          <p className="flex items-center gap-1 rounded-md bg-canvas py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 font-mono break-words">{line}</code>
            <CopyButton text={line} label={t("common.copy")} />
          </p>
          <p className="text-small text-ink-2">
            {t("identities.once")} {t("identities.until", { count: Math.round(data.expires_in / 60) })}
          </p>
        </div>
      )}
      <Button aria-disabled={isPending} onClick={() => mutate()}>
        {t(isPending ? "identities.creating" : "identities.create")}
      </Button>
    </div>
  )
}
