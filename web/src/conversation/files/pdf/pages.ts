import { signedOut } from "../../../api/client"
import { pageHeaders } from "../../../api/pagekey"
import { type Problem, problemFrom, unreachable } from "../../../api/problem"
import { dataUrl } from "../pictures/data-url"

/** A page of a PDF: its picture as a data: URL, or why this page alone cannot be drawn. */
export interface Drawn {
  /** How many pages the PDF has. */
  pages: number
  picture?: string
  problem?: Problem
}

/** Asks for a page, from 1, as so many pixels wide. It throws a Problem where nothing of the file can be drawn. */
export async function drawPage(session: string, path: string, page: number, width: number, signal: AbortSignal): Promise<Drawn> {
  const query = new URLSearchParams({ path, page: String(page), width: String(width) })
  let answer: Response
  try {
    answer = await fetch(`/api/sessions/${encodeURIComponent(session)}/files/page?${query}`, { headers: pageHeaders(), signal })
  } catch (error) {
    throw signal.aborted ? error : unreachable()
  }
  if (answer.status === 401) signedOut()
  const pages = Number(answer.headers.get("X-Pages"))
  if (answer.ok) return { pages, picture: await dataUrl(await answer.blob()) }
  const problem = problemFrom(answer.status, await answer.json().catch(() => undefined))
  if (pages > 0) return { pages, problem }
  throw problem
}

/** Widths that are asked for, in pixels, so that a window that is a little wider is shown what is there. */
const [STEP, WIDEST] = [200, 1568]

/** The width to ask for where so many pixels of the page are to be filled on a screen of so many dots a pixel. */
export const widthFor = (pixels: number, dots: number): number => Math.min(WIDEST, Math.max(1, Math.ceil((pixels * dots) / STEP)) * STEP)
