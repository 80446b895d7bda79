import type { Element } from "hast"
import { Square, SquareCheck } from "lucide-react"
import { type ComponentProps, lazy, memo, Suspense, use, useMemo } from "react"
import ReactMarkdown, { type Components, type ExtraProps, type Options } from "react-markdown"

import { isPath } from "../conversation/files/kinds"
import { ConversationContext } from "../conversation/shared/context"
import { useT } from "../i18n"
import { splitBlocks } from "./blocks"
import { CodeBlock } from "./CodeBlock"
import { readGfm } from "./gfm"
import { showFiles } from "./marks"
import { mayHaveMath, unifyMath } from "./math"
import { useFormulas } from "./useFormulas"
import { isHeavy } from "./weight"

const Diagram = lazy(() => import("./Diagram"))
const FileImage = lazy(() => import("../conversation/files/FileImage"))

interface Props {
  text: string
  /** The text is still growing. */
  live: boolean
}

/** Definitions of links and footnotes, which other blocks refer to. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * An answer, drawn in blocks, of which only the last one changes while it grows. HTML in it is shown as text, images of
 * elsewhere as links: nothing is loaded from there. Files where the conversation works are shown once the answer is whole.
 */
export default function Markdown({ text, live }: Props) {
  const prepared = useMemo(() => unifyMath(showFiles(text)), [text])
  const blocks = !live && DEFINITION.test(prepared) ? [prepared] : splitBlocks(prepared)
  return (
    <div className="prose" data-live={live || undefined}>
      {blocks.map((block, n) => (
        <Block key={n} text={block} live={live && n === blocks.length - 1} />
      ))}
    </div>
  )
}

const Block = memo(function Block({ text, live }: Props) {
  const formulas = useFormulas(mayHaveMath(text))
  const options = useMemo<Options>(() => {
    if (!formulas) return { remarkPlugins: [readGfm] }
    return {
      remarkPlugins: [readGfm, [formulas.remarkMath, { singleDollarTextMath: false }]],
      rehypePlugins: [formulas.leaveHeavyFormulas, [formulas.rehypeKatex, formulas.katexOptions]],
    }
  }, [formulas])
  if (isHeavy(text)) return <div className="prose-block break-words whitespace-pre-wrap">{text}</div>
  return (
    <div className="prose-block">
      <ReactMarkdown {...options} components={live ? liveComponents : components}>
        {text}
      </ReactMarkdown>
    </div>
  )
})

/** A path in an answer, as Markdown writes it. */
function pathOf(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address // a percent sign that stands for itself
  }
}

function Anchor({ href, children, title }: ComponentProps<"a"> & ExtraProps) {
  const conversation = use(ConversationContext)
  if (href !== undefined && isPath(href)) {
    if (!conversation) return <>{children}</>
    return (
      <button type="button" title={title} className="file-link" onClick={() => conversation.openFile(pathOf(href))}>
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

function Image({ src, alt }: ComponentProps<"img"> & ExtraProps) {
  const t = useT()
  const conversation = use(ConversationContext)
  const text = t("image.link", { alt: alt ?? "" })
  if (conversation && typeof src === "string" && isPath(src)) {
    return (
      <Suspense fallback={alt}>
        <FileImage sessionKey={conversation.sessionKey} path={pathOf(src)} alt={alt} />
      </Suspense>
    )
  }
  return typeof src === "string" && src !== "" ? <Anchor href={src}>{text}</Anchor> : <>{text}</>
}

function Table({ children }: ComponentProps<"table"> & ExtraProps) {
  const t = useT()
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("table.region")}>
      <table>{children}</table>
    </div>
  )
}

/** The box of a task list's entry: a picture, since nobody can tick it here. */
function Tick({ checked }: ComponentProps<"input"> & ExtraProps) {
  const t = useT()
  const Icon = checked ? SquareCheck : Square
  return <Icon size={16} role="img" aria-label={t(checked ? "todos.isDone" : "todos.isOpen")} className="mr-2.5 inline-block align-[-3px] text-ink-3" />
}

const pre = (live: boolean) =>
  function Pre({ node }: ComponentProps<"pre"> & ExtraProps) {
    const { code, language } = codeOf(node)
    const block = <CodeBlock code={code} language={language} live={live} />
    if (language !== "mermaid" || live) return block
    return (
      <Suspense fallback={block}>
        <Diagram source={code} />
      </Suspense>
    )
  }

/** The text and the language of a fenced block. */
function codeOf(node: Element | undefined): { code: string; language: string } {
  const inner = node?.children.find((child) => child.type === "element")
  const names = inner?.properties.className
  const named = Array.isArray(names) ? names.map(String).find((name) => name.startsWith("language-")) : undefined
  const text = inner?.children.map((child) => (child.type === "text" ? child.value : "")).join("") ?? ""
  return { code: text.replace(/\n$/, ""), language: named?.slice("language-".length).toLowerCase() ?? "" }
}

const components: Components = { a: Anchor, img: Image, table: Table, input: Tick, pre: pre(false) }
/** What is still written shows no files yet. */
const liveComponents: Components = { ...components, img: ({ alt }) => <>{alt}</>, pre: pre(true) }
