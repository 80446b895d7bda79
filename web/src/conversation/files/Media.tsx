import { useQuery } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useState } from "react"

import { linkFile } from "../../api/calls"
import { type Table, useTable } from "../../i18n/table"
import { kindOf, nameOf } from "./kinds"

const PdfView = lazy(() => import("./PdfView"))

const words: Table<"gone" | "reading"> = {
  en: { gone: "{{name}} cannot be shown.", reading: "Reading…" },
  zh: { gone: "无法显示 {{name}}。", reading: "正在读取…" },
}

interface Props {
  sessionKey: string
  path: string
  /** What stands for it where it cannot be seen. */
  alt?: string
  /** What is shown where the browser cannot show it. */
  otherwise?: ReactNode
  /** It has the room of a dialog, which offers the download. */
  room?: boolean
}

/** How long an address is used before another is asked for: half of its life. */
const HALF_A_DAY = 12 * 60 * 60_000

/** A picture, a sound or a film of the workspace, through a signed link; a PDF page by page. */
export function Media({ sessionKey, path, alt, otherwise, room }: Props) {
  const say = useTable(words)
  const [broken, setBroken] = useState(false)
  const { data, error } = useQuery({ queryKey: ["file-link", sessionKey, path], queryFn: () => linkFile(sessionKey, path), staleTime: HALF_A_DAY, retry: false })
  const name = alt || nameOf(path)
  if (error || broken) return otherwise ?? <p className="text-small text-ink-3">{say("gone", { name })}</p>
  if (!data) return <span className="text-small text-ink-3">{say("reading")}</span>
  const address = `${data.url}?inline`
  const fails = () => setBroken(true)
  switch (kindOf(path)) {
    case "picture":
      return <img src={address} alt={name} onError={fails} className="max-h-full max-w-full rounded-md object-contain" />
    case "sound":
      return <audio controls src={address} aria-label={name} onError={fails} className="w-full max-w-md" />
    case "film":
      return <video controls src={address} aria-label={name} onError={fails} className="max-h-full max-w-full rounded-md" />
    case "pdf":
      return (
        <Suspense fallback={<span className="text-small text-ink-3">{say("reading")}</span>}>
          <PdfView sessionKey={sessionKey} path={path} name={name} address={address} room={room} />
        </Suspense>
      )
    default:
      return otherwise
  }
}
