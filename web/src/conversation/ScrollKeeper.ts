import { Store } from "../lib/store"

/** Pixels from the end within which a reader counts as being there. */
const NEAR = 64

/**
 * Keeps a scrolled box at its end while its content grows, unless the reader has scrolled away, and keeps the reader's
 * place when something is put in before it.
 */
export class ScrollKeeper {
  /** The reader has scrolled away from the end. */
  readonly away = new Store(false)
  #box: HTMLElement | undefined
  #heightBefore = 0

  /** Watches a box and what is in it until the returned function is called. */
  readonly attach = (box: HTMLElement, content: HTMLElement): (() => void) => {
    this.#box = box
    const scrolled = () => this.away.set(box.scrollHeight - box.scrollTop - box.clientHeight >= NEAR)
    const observer = new ResizeObserver(() => {
      if (this.away.get()) scrolled()
      else this.toEnd()
      this.#heightBefore = box.scrollHeight
    })
    observer.observe(content)
    observer.observe(box)
    box.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      this.#box = undefined
      observer.disconnect()
      box.removeEventListener("scroll", scrolled)
    }
  }

  readonly toEnd = (): void => {
    this.away.set(false)
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight
  }

  /** The reader goes to a place of their own: what is new no longer pulls to the end. */
  readonly leaveEnd = (): void => {
    this.away.set(true)
  }

  /** Something was put in before what the reader looks at: nothing must move under the eyes. */
  readonly prepended = (): void => {
    if (!this.#box) return
    if (this.away.get()) this.#box.scrollTop += this.#box.scrollHeight - this.#heightBefore
    else this.toEnd()
    this.#heightBefore = this.#box.scrollHeight
  }
}
