// Draws diagrams in a frame, one at a time, with a time limit. This module is loaded when the first diagram is drawn.
import { attempt } from "./attempts"
import { type Drawing, READY, readAnswer } from "./messages"
import { isHeavy } from "./weight"

/** Time limits of a drawing, and of loading the frame, in milliseconds. */
const DEADLINE = 10_000
const LOADING = 30_000

/** The result for a diagram: a drawing, an error in the source, or the reason why it is not drawn. */
export type Outcome = { drawing: Drawing } | { problem: string } | "large" | "slow"

/** Draws the source of a diagram. `anyway` draws one that took too long before. */
export async function drawDiagram(source: string, dark: boolean, anyway: boolean): Promise<Outcome> {
  if (isHeavy(source)) return "large"
  return inTurn(() => attempt(source, anyway, () => drawInFrame(source, dark)))
}

let last: Promise<unknown> = Promise.resolve()

/** Runs tasks one after the other. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const mine = last.then(task, task)
  last = mine
  return mine
}

/** The frame, once it is ready. It is reused for the next diagram, and removed if it does not answer in time. */
let frame: Promise<HTMLIFrameElement> | undefined

async function drawInFrame(source: string, dark: boolean): Promise<Outcome> {
  frame ??= openFrame()
  const [current, opened] = [frame, await frame.catch(() => undefined)]
  if (!opened) {
    if (frame === current) frame = undefined
    throw new Error("the part of the page that draws diagrams was not loaded")
  }
  const outcome = await ask(opened, source, dark)
  if (outcome === "slow") {
    opened.remove()
    frame = undefined
  }
  return outcome
}

function openFrame(): Promise<HTMLIFrameElement> {
  const opened = document.createElement("iframe")
  opened.src = "/diagram.html"
  opened.setAttribute("sandbox", "allow-scripts")
  opened.ariaHidden = "true"
  opened.tabIndex = -1
  // The frame needs a size, since some diagrams adapt to its width.
  opened.style.cssText = "position:fixed;left:0;top:0;width:1000px;height:800px;opacity:0;pointer-events:none;z-index:-1;border:0"
  const ready = answered(opened, (data) => (data === READY ? opened : undefined), LOADING)
  document.body.append(opened)
  return ready.then((found) => {
    if (found) return found
    opened.remove()
    throw new Error("the frame did not load in time")
  })
}

let asked = 0

async function ask(opened: HTMLIFrameElement, source: string, dark: boolean): Promise<Outcome> {
  const id = ++asked
  const answer = answered(opened, (data) => {
    const read = readAnswer(data)
    return read?.id === id ? read : undefined
  }, DEADLINE)
  opened.contentWindow?.postMessage({ id, source, dark }, "*") // an opaque origin cannot be named
  const read = await answer
  if (!read) return "slow"
  return "large" in read ? "large" : read
}

/** Returns the first message of the frame that `take` accepts; undefined if none comes in time. */
function answered<T>(opened: HTMLIFrameElement, take: (data: unknown) => T | undefined, time: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const began = performance.now()
    const end = (found: T | undefined) => {
      removeEventListener("message", hear)
      clearTimeout(timer)
      resolve(found)
    }
    const hear = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== opened.contentWindow) return
      const taken = take(data)
      // If the frame shares the thread of the page, a late answer may come before the timer.
      if (taken !== undefined) end(performance.now() - began > time ? undefined : taken)
    }
    const timer = setTimeout(() => end(undefined), time)
    addEventListener("message", hear)
  })
}
