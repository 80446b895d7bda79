// The editor of text files: CodeMirror, with the grammar of the file's language, which is loaded when a file needs it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { bracketMatching, HighlightStyle, indentOnInput, LanguageDescription, syntaxHighlighting } from "@codemirror/language"
import { languages } from "@codemirror/language-data"
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { Compartment, EditorState } from "@codemirror/state"
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { useEffect, useRef } from "react"

import { lineEndOf, nameOf } from "../kinds"

interface Props {
  path: string
  label: string
  /** What it begins with; later values change nothing. */
  text: string
  onText: (text: string) => void
  onSave: () => void
}

/** The colours are those of code in answers. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-token-keyword)" },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--code-token-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.constant(tags.name)], color: "var(--code-token-constant)" },
  { tag: tags.comment, color: "var(--code-token-comment)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.typeName, tags.className, tags.tagName], color: "var(--code-token-function)" },
  { tag: [tags.punctuation, tags.operator], color: "var(--code-token-punctuation)" },
  { tag: [tags.link, tags.url], color: "var(--code-token-link)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
])

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "0.8125rem", color: "var(--ink)", backgroundColor: "var(--canvas)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft, var(--hover))" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
})

/** A text that can be changed. Ctrl or Cmd with S saves it. */
export default function TextEditor({ path, label, text, onText, onSave }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const calls = useRef({ onText, onSave })
  useEffect(() => {
    calls.current = { onText, onSave }
  })
  useEffect(() => {
    if (!box.current) return
    const language = new Compartment()
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(), search({ top: true }),
          syntaxHighlighting(colours), look, language.of([]), EditorState.lineSeparator.of(lineEndOf(text)),
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onText(update.state.sliceDoc())
          }),
          keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (calls.current.onSave(), true) }, ...searchKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
        ],
      }),
    })
    let gone = false
    LanguageDescription.matchFilename(languages, nameOf(path))
      ?.load()
      .then((loaded) => {
        if (!gone) view.dispatch({ effects: language.reconfigure(loaded) })
      })
      .catch((error: unknown) => console.error("the grammar was not loaded; the text stays plain", error))
    return () => {
      gone = true
      view.destroy()
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the editor holds the text from then on
  }, [path])
  return <div ref={box} className="h-full" />
}
