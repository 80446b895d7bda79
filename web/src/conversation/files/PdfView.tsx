import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { ChevronLeft, ChevronRight, ExternalLink } from "lucide-react"
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"

import { asProblem } from "../../api/problem"
import { type Table, useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Button, buttonLook } from "../../ui/Button"
import { IconButton } from "../../ui/IconButton"
import { FilePill } from "./FilePill"
import { drawPage, widthFor } from "./pdf/pages"
import { useVisible } from "./pdf/useVisible"

const words: Table<"page" | "of" | "previous" | "next" | "drawing" | "open" | "problem" | "again"> = {
  en: {
    page: "{{name}}, page {{page}}", of: "Page {{page}} of {{pages}}", previous: "Previous page", next: "Next page",
    drawing: "Drawing page {{page}}…", open: "Open in a new tab", problem: "{{name}} cannot be shown: {{problem}}", again: "Try again",
  },
  zh: {
    page: "{{name}}，第 {{page}} 页", of: "第 {{page}} 页，共 {{pages}} 页", previous: "上一页", next: "下一页",
    drawing: "正在绘制第 {{page}} 页…", open: "在新标签页中打开", problem: "无法显示 {{name}}：{{problem}}", again: "重试",
  },
}

/** How often a page is asked for again where the server draws as many as it can, and how long the last ones are kept, in milliseconds. */
const [TRIES, KEPT] = [20, 60_000]

interface Props {
  sessionKey: string
  path: string
  name: string
  /** Where the file itself opens. */
  address: string
  /** It has the room of a dialog, which offers the download. */
  room?: boolean
}

/** A PDF, page by page: browsers' own viewers do not work under the policy that files are served with. The server draws the pages. */
export default function PdfView({ sessionKey, path, name, address, room }: Props) {
  const say = useTable(words)
  const [page, setPage] = useState(1)
  const { ref, width } = useVisible<HTMLSpanElement>()
  const pixels = widthFor(width, devicePixelRatio)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ["pdf-page", sessionKey, path, page, pixels],
    queryFn: ({ signal }) => drawPage(sessionKey, path, page, pixels, signal),
    enabled: width > 0,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: KEPT,
    retry: (failures, error) => asProblem(error).passing && failures < (asProblem(error).status === 429 ? TRIES : 3),
  })
  const pages = data?.pages ?? page
  const problem = error ? asProblem(error) : isPlaceholderData ? undefined : data?.problem
  const go = (to: number) => setPage(Math.max(1, Math.min(to, pages)))
  const byKey = (event: KeyboardEvent) => {
    const to = { ArrowLeft: page - 1, ArrowRight: page + 1, Home: 1, End: pages }[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    go(to)
  }
  return (
    <span ref={ref} role="group" aria-label={name} onKeyDown={byKey} className={cx("w-full max-w-full", room ? "flex h-full flex-col" : "my-2 block")}>
      {problem ? (
        <span role="status" className="block rounded-md bg-sunken px-3 py-2 break-words text-ink-2">
          {say("problem", { name, problem: problem.message })}
        </span>
      ) : (
        <Page url={data?.picture} label={say("page", { name, page })} waits={say("drawing", { page })} busy={isPlaceholderData || (isFetching && !data)} room={room} />
      )}
      <span className="mt-1 flex shrink-0 flex-wrap items-center gap-1 text-small">
        {(data !== undefined || page > 1) && (
          <>
            <Turn label={say("previous")} ends={page <= 1} onTurn={() => go(page - 1)}>
              <ChevronLeft size={18} aria-hidden />
            </Turn>
            <span aria-live="polite" className="text-ink-2 tabular-nums">
              {say("of", { page, pages })}
            </span>
            <Turn label={say("next")} ends={page >= pages} onTurn={() => go(page + 1)}>
              <ChevronRight size={18} aria-hidden />
            </Turn>
          </>
        )}
        {problem?.passing && <Button onClick={() => void refetch()}>{say("again")}</Button>}
        <a href={address} target="_blank" rel="noreferrer noopener" className={buttonLook("quiet", "ml-auto no-underline")}>
          <ExternalLink size={15} aria-hidden /> {say("open")}
        </a>
        {!room && <FilePill sessionKey={sessionKey} path={path} />}
      </span>
    </span>
  )
}

/** The picture of a page, as wide as there is room; a taller one is scrolled. The page before stays until it is there. */
function Page({ url, label, waits, busy, room }: { url?: string; label: string; waits: string; busy: boolean; room?: boolean }) {
  const frame = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    frame.current?.scrollTo(0, 0) // newer browsers return a promise, which is nothing to clean up
  }, [url])
  return (
    <span
      ref={frame}
      role="group"
      aria-label={label}
      aria-busy={busy}
      tabIndex={0}
      className={cx("relative block overflow-auto rounded-md border border-line bg-sunken", room ? "min-h-0 flex-initial" : "max-h-[80vh]", !url && "min-h-60")}
    >
      {url && <img src={url} alt={label} className={cx("block h-auto w-full max-w-none", busy && "opacity-40")} />}
      {(busy || !url) && (
        <span role="status" className="absolute top-2 left-2 rounded-md bg-raised px-2 py-1 text-small text-ink-2">
          {waits}
        </span>
      )}
    </span>
  )
}

/** Turns a page. It keeps the focus where there is no further one, so that the arrows go on working. */
function Turn({ label, ends, onTurn, children }: { label: string; ends: boolean; onTurn: () => void; children: ReactNode }) {
  return (
    <IconButton small label={label} aria-disabled={ends} onClick={onTurn} className="aria-disabled:opacity-50">
      {children}
    </IconButton>
  )
}
