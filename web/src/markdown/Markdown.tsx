import { type ComponentProps, lazy, type ReactNode, Suspense, use, useMemo } from "react"

import { useT } from "../i18n"
import { CopyButton } from "../ui/CopyButton"
import { FilesContext } from "./files"
import type { MarkdownHost } from "./host"
import { isPath, pathOf } from "./paths"
import { type MarkdownProps, Renderer } from "./Renderer"

const Diagram = lazy(() => import("./Diagram"))

const keys = { table: "table.region", done: "todos.isDone", open: "todos.isOpen", codeBlock: "code.region" } as const

/** A Markdown text of the page, with diagrams, and with files where it belongs to an open conversation. */
export default function Markdown(props: MarkdownProps) {
  const t = useT()
  const host = useMemo<MarkdownHost>(() => ({ word: (name) => t(keys[name]), Link, Image, CopyButton: CopyCode, Diagram: LazyDiagram }), [t])
  return <Renderer {...props} host={host} />
}

function LazyDiagram({ source, children }: { source: string; children: ReactNode }) {
  return (
    <Suspense fallback={children}>
      <Diagram source={source} />
    </Suspense>
  )
}

function CopyCode({ text }: { text: string }) {
  const t = useT()
  return <CopyButton text={text} label={t("code.copy")} />
}

function Link({ href, children, title }: ComponentProps<"a">) {
  const files = use(FilesContext)
  if (href !== undefined && isPath(href)) {
    if (!files) return <>{children}</>
    return (
      <button type="button" title={title} className="file-link" onClick={() => files.open(pathOf(href))}>
        {children}
      </button>
    )
  }
  const inside = href?.startsWith("#")
  return (
    <a href={href} title={title} {...(inside ? {} : { target: "_blank", rel: "noreferrer noopener" })}>
      {children}
    </a>
  )
}

/** A file of the conversation; a picture of elsewhere is a link to it. */
function Image({ src, alt }: ComponentProps<"img">) {
  const t = useT()
  const files = use(FilesContext)
  const text = t("image.link", { alt: alt ?? "" })
  if (files && typeof src === "string" && isPath(src)) {
    return (
      <Suspense fallback={alt}>
        <files.Image path={pathOf(src)} alt={alt} />
      </Suspense>
    )
  }
  return typeof src === "string" && src !== "" ? <Link href={src}>{text}</Link> : <>{text}</>
}
