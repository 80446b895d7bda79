import type { Element } from "hast"
import { Square, SquareCheck } from "lucide-react"
import { type ComponentProps, memo, useMemo } from "react"
import ReactMarkdown, { type Components, type ExtraProps, type Options } from "react-markdown"

import { splitBlocks } from "./blocks"
import { readGfm } from "./gfm"
import { showFiles } from "./marks"
import { mayHaveMath, unifyMath } from "./math"
import { useFormulas } from "./useFormulas"
import { isHeavy } from "./weight"
import { CodeBlock } from "./CodeBlock"
import { HostContext, type MarkdownHost, useMarkdownHost } from "./host"

export interface MarkdownProps {
  text: string
  /** The text is still growing. */
  live: boolean
}

/** Definitions of links and footnotes, which other blocks refer to. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * A Markdown text, drawn in blocks, of which only the last one changes while it grows. HTML in it is shown as text. Nothing is loaded from
 * elsewhere: the host decides which links and files are shown. Files are shown once the text is whole.
 */
export function Renderer({ text, live, host }: MarkdownProps & { host: MarkdownHost }) {
  const prepared = useMemo(() => unifyMath(showFiles(text, live)), [text, live])
  const blocks = !live && DEFINITION.test(prepared) ? [prepared] : splitBlocks(prepared)
  return (
    <HostContext value={host}>
      <div className="prose" data-live={live || undefined}>
        {blocks.map((block, n) => (
          <Block key={n} text={block} live={live && n === blocks.length - 1} />
        ))}
      </div>
    </HostContext>
  )
}

const Block = memo(function Block({ text, live }: MarkdownProps) {
  const { Link, Image } = useMarkdownHost()
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
      <ReactMarkdown {...options} components={{ a: Link, table: Table, input: Tick, ...(live ? growing : { img: Image, pre: Pre }) }}>
        {text}
      </ReactMarkdown>
    </div>
  )
})

function Table({ children }: ComponentProps<"table"> & ExtraProps) {
  const { word } = useMarkdownHost()
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={word("table")}>
      <table>{children}</table>
    </div>
  )
}

/** The box of a task list's entry: a picture, since nobody can tick it here. */
function Tick({ checked }: ComponentProps<"input"> & ExtraProps) {
  const { word } = useMarkdownHost()
  const Icon = checked ? SquareCheck : Square
  return <Icon size={16} role="img" aria-label={word(checked ? "done" : "open")} className="mr-2.5 inline-block align-[-3px] text-ink-3" />
}

function Pre({ node }: ComponentProps<"pre"> & ExtraProps) {
  const { Diagram } = useMarkdownHost()
  const fence = fenceOf(node)
  const block = <CodeBlock {...fence} live={false} />
  return Diagram && fence.language === "mermaid" ? <Diagram source={fence.code}>{block}</Diagram> : block
}

/** The text and the language of a fenced block. */
function fenceOf(node: Element | undefined): { code: string; language: string } {
  const inner = node?.children.find((child) => child.type === "element")
  const names = inner?.properties.className
  const named = Array.isArray(names) ? names.map(String).find((name) => name.startsWith("language-")) : undefined
  const text = inner?.children.map((child) => (child.type === "text" ? child.value : "")).join("") ?? ""
  return { code: text.replace(/\n$/, ""), language: named?.slice("language-".length).toLowerCase() ?? "" }
}

/** What is still written shows no files yet, and code without colours. */
const growing: Components = { img: ({ alt }) => <>{alt}</>, pre: ({ node }) => <CodeBlock {...fenceOf(node)} live /> }
