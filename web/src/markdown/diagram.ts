// Mermaid diagrams. This module is loaded when the first diagram is drawn. What it makes is shown as a picture (`<img>`), in which no
// script runs and which loads nothing, so that a hostile diagram reaches neither the page nor another server.
import mermaid from "mermaid"

/** Longer sources stay code, in characters: laying them out would hold up the page. */
const LONGEST = 20_000

/** A diagram, drawn. */
export interface Drawing {
  /** The picture, as a data: address. */
  address: string
  /** Its size, in CSS pixels. */
  width: number
  height: number
  /** What the source calls it (accTitle). */
  title: string | undefined
}

let drawn = 0

/** Draws the source of a diagram; throws an error whose message says what is wrong with it. */
export async function drawDiagram(source: string, dark: boolean): Promise<Drawing> {
  if (source.length > LONGEST) throw new Error(`more than ${LONGEST} characters`)
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    theme: dark ? "dark" : "neutral",
    darkMode: dark,
    fontFamily: "system-ui, sans-serif",
    htmlLabels: false, // a picture shows text, not HTML
    flowchart: { htmlLabels: false },
    maxTextSize: LONGEST,
    maxEdges: 300,
  })
  const stage = document.createElement("div")
  stage.ariaHidden = "true"
  stage.style.cssText = "position:fixed;left:-9999px;top:0;visibility:hidden"
  document.body.append(stage)
  try {
    const { svg } = await mermaid.render(`diagram-${++drawn}`, source, stage)
    return pictureOf(svg)
  } finally {
    stage.remove()
  }
}

function pictureOf(svg: string): Drawing {
  const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg")
  const box = root?.viewBox.baseVal
  if (!root || !box || !(box.width > 0) || !(box.height > 0)) throw new Error("nothing to draw")
  root.setAttribute("width", String(box.width))
  root.setAttribute("height", String(box.height))
  root.style.maxWidth = ""
  const text = new XMLSerializer().serializeToString(root)
  return {
    address: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text),
    width: Math.ceil(box.width),
    height: Math.ceil(box.height),
    title: root.querySelector(":scope > title")?.textContent?.trim() || undefined,
  }
}
