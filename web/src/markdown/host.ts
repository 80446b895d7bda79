import { type ComponentType, createContext, type ReactNode, useContext } from "react"
import type { Components } from "react-markdown"

/** What the page around a text supplies to draw it: words, links, pictures and a copy button of its own kind. */
export interface MarkdownHost {
  word: (name: "table" | "done" | "open" | "codeBlock") => string
  Link: Extract<Components["a"], ComponentType<never>>
  Image: Extract<Components["img"], ComponentType<never>>
  CopyButton: ComponentType<{ text: string }>
  /** Draws a Mermaid diagram, or its children until it can; without it a diagram stays source. */
  Diagram?: ComponentType<{ source: string; children: ReactNode }>
}

export const HostContext = createContext<MarkdownHost | undefined>(undefined)

export function useMarkdownHost(): MarkdownHost {
  const host = useContext(HostContext)
  if (!host) throw new Error("no host")
  return host
}
