import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import type { PictureRef } from "../../../api/types"
import { type Table, useTable } from "../../../i18n/table"
import { useConversationContext } from "../../shared/context"
import { readPicture } from "./data-url"

const PictureDialog = lazy(() => import("./PictureDialog"))

const words: Table<"show" | "unnamed" | "gone"> = {
  en: { show: "Show {{name}}", unnamed: "a picture", gone: "{{name}} cannot be shown" },
  zh: { show: "查看{{name}}", unnamed: "图片", gone: "无法显示{{name}}" },
}

/** Heights in pixels between which a picture is shown before it is asked for. */
const [LEAST, TALLEST] = [64, 240]

/** Pictures of a message or of a result, as models are shown them. */
export function Pictures({ pictures }: { pictures?: PictureRef[] | null }) {
  if (!pictures?.length) return null
  return (
    <ul className="flex flex-wrap gap-2">
      {pictures.map((picture, n) => (
        <li key={n}>
          <Thumbnail picture={picture} />
        </li>
      ))}
    </ul>
  )
}

function Thumbnail({ picture }: { picture: PictureRef }) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  const [open, setOpen] = useState(false)
  const { data: url, isError } = useQuery({
    queryKey: ["picture", sessionKey, picture.hash],
    queryFn: ({ signal }) => readPicture(sessionKey, picture.hash, signal),
    staleTime: Infinity,
  })
  const name = picture.name ?? say("unnamed")
  if (isError) return <p className="text-small text-ink-3">{say("gone", { name })}</p>
  const height = Math.max(LEAST, Math.min(TALLEST, picture.height))
  return (
    <>
      <button
        type="button"
        aria-label={say("show", { name })}
        onClick={() => setOpen(true)}
        disabled={!url}
        className="block max-w-full overflow-hidden rounded-md border border-line bg-sunken"
        style={{ height, aspectRatio: `${picture.width} / ${picture.height}` }}
      >
        {url && <img src={url} alt={name} className="size-full object-contain" />}
      </button>
      {open && url && (
        <Suspense>
          <PictureDialog name={name} url={url} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
