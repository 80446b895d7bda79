// The SDK for panels of xbot plugins: a classic script without dependencies. Copy it into the folder web/ of the plugin, and load it with
// <script src="xbot-widget.js"></script> before your own.
//
//   const { language, theme, title } = await xbot.ready()   // "en" or "zh"; "light" or "dark"; what the panel is called
//   const news = await xbot.ask({ what: "news" })            // what the plugin answers; throws an Error with its sentence
//   xbot.onLook(({ language, theme }) => draw(language))     // when the person changes the language or the theme
//
// It sets <html lang>, <html data-theme> and the variables --canvas, --raised, --line, --ink, --ink-2, --accent, --accent-soft, --on-accent and
// --danger for both themes, and has the frame be as high as the document. A message has at most 60 kB; at most 20 a second are read.
"use strict"
const xbot = (() => {
  const waiting = new Map()
  const lookers = []
  let last = 0
  const send = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      parent.postMessage(params === undefined ? { xbot: 1, id, method } : { xbot: 1, id, method, params }, "*")
    })

  const themes = {
    light: { canvas: "#fdfdfc", raised: "#f7f7f5", line: "#e6e5e1", ink: "#1d1c1a", "ink-2": "#55544f", accent: "#0b6a6e", "accent-soft": "#e3f0ef", "on-accent": "#ffffff", danger: "#b02a21" },
    dark: { canvas: "#191918", raised: "#131312", line: "#2f2f2d", ink: "#ecebe7", "ink-2": "#b1b0aa", accent: "#72c8c3", "accent-soft": "#1f3433", "on-accent": "#0d2423", danger: "#f19a92" },
  }
  const wear = (look) => {
    const root = document.documentElement
    root.lang = look.language
    root.dataset.theme = look.theme
    root.style.colorScheme = look.theme
    for (const [name, colour] of Object.entries(themes[look.theme] || themes.light)) root.style.setProperty(`--${name}`, colour)
    return look
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data || data.xbot !== 1) return
    if (data.event === "look") {
      wear(data.params)
      for (const looker of lookers) looker(data.params)
      return
    }
    const asked = waiting.get(data.id)
    waiting.delete(data.id)
    if (!asked) return
    if ("error" in data) asked.reject(new Error(data.error))
    else asked.resolve(data.result)
  })

  let high = 0
  let due = false
  const grow = () => {
    due = false
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height)
    if (height !== high) send("resize", { height: (high = height) })
  }
  const watch = () => {
    new ResizeObserver(() => {
      if (!due) setTimeout(grow, 100)
      due = true
    }).observe(document.documentElement)
  }

  return {
    /** How the page looks now. Ask it once, first. */
    ready: () => send("ready").then((look) => (watch(), wear(look))),
    /** Asks the plugin; params are any JSON. */
    ask: (params) => send("ask", params),
    /** Calls a function when the person changes the language or the theme. */
    onLook: (looker) => void lookers.push(looker),
  }
})()
