// Draws diagrams with Mermaid in a frame of an opaque origin (diagram.html). Browsers that run such a frame in a separate process stay responsive,
// and the page ends the process by removing the frame. The page shows the result as an image (`<img>`), which runs no script and loads nothing, so
// that a hostile diagram reaches neither the page nor another server.
import mermaid from "mermaid"

import { type Answer, type Drawing, LONGEST_SIDE, READY, type Request } from "./messages"
import { LONGEST } from "./weight"

/** Limits of a picture that the page can show without a pause. */
const MOST_ELEMENTS = 10_000
const MOST_CHARACTERS = 2_000_000

let drawn = 0

function initialize(dark: boolean): void {
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
    // Settings that a source cannot change: the default list, and styles, which could make a picture slow to paint.
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges", "themeCSS", "htmlLabels"],
  })
}

async function draw({ id, source, dark }: Request): Promise<Answer> {
  initialize(dark)
  const stage = document.createElement("div")
  document.body.append(stage)
  try {
    const { svg } = await mermaid.render(`diagram-${++drawn}`, source, stage)
    const drawing = pictureOf(svg)
    return drawing ? { id, drawing } : { id, large: true }
  } catch (error) {
    return { id, problem: firstLine(error) }
  } finally {
    stage.remove()
  }
}

/** Returns the picture; undefined if it is too large to be shown. */
function pictureOf(svg: string): Drawing | undefined {
  if (svg.length > MOST_CHARACTERS) return undefined
  const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg")
  const box = root?.viewBox.baseVal
  if (!root || !box || !(box.width > 0) || !(box.height > 0)) throw new Error("nothing to draw")
  if (box.width > LONGEST_SIDE || box.height > LONGEST_SIDE || root.getElementsByTagName("*").length > MOST_ELEMENTS) return undefined
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

/** Returns the first line of an error: the other lines of a parser error only point at characters. */
function firstLine(error: unknown): string {
  const all = error instanceof Error ? error.message : String(error)
  return all.replace(/:?\n[^]*$/, "")
}

addEventListener("message", ({ source, data }: MessageEvent<Request>) => {
  if (source === parent) void draw(data).then((answer) => parent.postMessage(answer, "*")) // the page's policy restricts who may frame this document
})
parent.postMessage(READY, "*")
