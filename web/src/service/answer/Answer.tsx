import type { Element } from "hast"
import { Square, SquareCheck } from "lucide-react"
import { type ComponentProps, memo, useMemo } from "react"
import ReactMarkdown, { type Components, type ExtraProps, type Options } from "react-markdown"

import { splitBlocks } from "../../markdown/blocks"
import { readGfm } from "../../markdown/gfm"
import { mayHaveMath, unifyMath } from "../../markdown/math"
import { useFormulas } from "../../markdown/useFormulas"
import { isHeavy } from "../../markdown/weight"
import { generatedFile, nameOf } from "../chat/files"
import { useSay } from "../lib/language"
import { Code } from "./Code"
import { FileView } from "./FileView"
import { prepare } from "./marks"

interface Props {
  text: string
  /** The text is still growing. */
  live: boolean
}

/** Definitions of links and footnotes, which other blocks refer to. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * An answer, drawn in blocks, of which only the last one changes while it grows. HTML in it is text. Nothing is loaded from elsewhere:
 * pictures of elsewhere are links, files of the conversation are shown.
 */
export default function Answer({ text, live }: Props) {
  const prepared = useMemo(() => unifyMath(prepare(text, live)), [text, live])
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

/** Addresses that a visitor may be led to. Others of this server are nothing to visitors. */
const ABROAD = /^(?:https?:\/\/|mailto:|tel:)/i

function Anchor({ href, children }: ComponentProps<"a"> & ExtraProps) {
  if (href?.startsWith("#")) return <span>{children}</span>
  if (href !== undefined && ABROAD.test(href)) {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    )
  }
  const file = href === undefined ? undefined : generatedFile(href)
  return file ? <FileView {...file} as="link" name={children} /> : <>{children}</>
}

function Picture({ src, alt }: ComponentProps<"img"> & ExtraProps) {
  const say = useSay()
  if (typeof src !== "string") return <>{alt}</>
  const file = generatedFile(src)
  if (file) return <FileView {...file} as="shown" alt={alt || nameOf(file.path)} />
  return <Anchor href={src}>{say("answer.image", { alt: alt || src })}</Anchor>
}

function Table({ children }: ComponentProps<"table"> & ExtraProps) {
  const say = useSay()
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={say("answer.table")}>
      <table>{children}</table>
    </div>
  )
}

/** The box of a task list's entry: a picture, since nobody can tick it here. */
function Tick({ checked }: ComponentProps<"input"> & ExtraProps) {
  const say = useSay()
  const Icon = checked ? SquareCheck : Square
  return <Icon size={16} role="img" aria-label={say(checked ? "answer.done" : "answer.open")} className="mr-2.5 inline-block align-[-3px] text-ink-3" />
}

const pre = (live: boolean) =>
  function Pre({ node }: ComponentProps<"pre"> & ExtraProps) {
    return <Code {...codeOf(node)} live={live} />
  }

/** The text and the language of a fenced block. */
function codeOf(node: Element | undefined): { code: string; language: string } {
  const inner = node?.children.find((child) => child.type === "element")
  const names = inner?.properties.className
  const named = Array.isArray(names) ? names.map(String).find((name) => name.startsWith("language-")) : undefined
  const text = inner?.children.map((child) => (child.type === "text" ? child.value : "")).join("") ?? ""
  return { code: text.replace(/\n$/, ""), language: named?.slice("language-".length).toLowerCase() ?? "" }
}

const components: Components = { a: Anchor, img: Picture, table: Table, input: Tick, pre: pre(false) }
/** What is still written shows no files yet. */
const liveComponents: Components = { ...components, img: ({ alt }) => <>{alt}</>, pre: pre(true) }
