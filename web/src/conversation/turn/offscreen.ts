// Lets the browser leave out the turns of a long conversation that are far from what is seen (style article[data-drawn]). A turn is left out
// once it was seen and has left the view: then the browser knows its height and keeps its place, and reading upwards does not jump. The
// text stays in the document, so that it is found and read aloud. Of 400 turns, a change of the layout takes 20 ms instead of 250 ms.

/** Widths of the turns that were seen, in CSS pixels: with another width a turn has another height. */
const seen = new WeakMap<Element, number>()

const views = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    if (isIntersecting) seen.set(target, boundingClientRect.width)
    else if (seen.get(target) === boundingClientRect.width) target.setAttribute("data-drawn", "")
  }
})

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (seen.get(target) === target.getBoundingClientRect().width) continue
    seen.delete(target)
    target.removeAttribute("data-drawn")
  }
})

/** Watches a turn until the returned function is called. */
export function skipOffscreen(turn: HTMLElement | null): (() => void) | undefined {
  if (!turn) return undefined
  views.observe(turn)
  widths.observe(turn)
  return () => {
    views.unobserve(turn)
    widths.unobserve(turn)
    turn.removeAttribute("data-drawn")
  }
}
