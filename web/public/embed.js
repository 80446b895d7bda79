// Puts a service into a page of another origin: a button, and a frame with the service's page that it opens. In that page stands
//   <script src="https://host/s/svc_0a1b2c3d/embed.js" async></script>
// with data-key (a key of the service: whoever reads the page reads it, too), data-label (of the button), data-position (left or right)
// and data-lang (en or zh) where they are wanted. It makes no globals, and styles nothing of the page that it stands in.
;(function () {
  "use strict"
  var service = "{{service}}"
  var script = document.currentScript
  if (!script || typeof service === "string") return
  if (service.origins.indexOf(location.origin) < 0) {
    console.warn("The service " + service.id + " may not be shown here: its administrator has to name the origin " + location.origin + " in its settings.")
    return
  }
  var given = script.dataset
  var language = (given.lang || navigator.language || "").toLowerCase().indexOf("zh") === 0 ? "zh" : "en"
  var words = {
    en: { open: "Ask " + service.name, close: "Close " + service.name, lang: "en" },
    zh: { open: "咨询" + service.name, close: "关闭" + service.name, lang: "zh-CN" },
  }[language]
  var home = new URL(script.src)
  var left = given.position === "left"
  var label = given.label || words.open
  var frame = null

  var host = document.createElement("div")
  host.lang = words.lang
  var root = host.attachShadow({ mode: "open" })
  styled(
    ":host{all:initial;position:fixed;z-index:2147483000;inset:auto " + (left ? "auto 20px 20px" : "20px 20px auto") + ";color-scheme:light dark;" +
      "font:500 15px/20px Inter,system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif}" +
      "button{display:flex;align-items:center;gap:8px;max-width:calc(100vw - 40px);height:52px;margin-" + (left ? "right" : "left") + ":auto;padding:0 20px 0 16px;border:0;" +
      "border-radius:26px;font:inherit;color:light-dark(#fff,#0d2423);background:light-dark(#0b6a6e,#72c8c3);cursor:pointer;" +
      "box-shadow:0 8px 28px rgb(30 28 20/.22),0 1px 4px rgb(30 28 20/.16);transition:background-color .1s}" +
      "button[aria-expanded=true]{width:52px;padding:0;justify-content:center}" +
      "button:hover{background:light-dark(#08565a,#8ad6d1)}" +
      "button:focus-visible{outline:2px solid light-dark(#0b6a6e,#72c8c3);outline-offset:3px}" +
      "button span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}" +
      "svg{flex:none;width:22px;height:22px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}" +
      "[role=dialog]{width:min(400px,calc(100vw - 40px));height:min(680px,calc(100dvh - 108px));margin-bottom:16px;overflow:hidden;border-radius:16px;" +
      "background:light-dark(#fdfdfc,#191918);box-shadow:0 12px 48px rgb(30 28 20/.25),0 0 0 1px rgb(128 126 118/.25)}" +
      "[role=dialog][hidden]{display:none}" +
      "iframe{display:block;width:100%;height:100%;border:0}" +
      // A phone has no room for a button beside the frame, whose page has a button that closes it.
      "@media (max-width:480px),(max-height:480px){:host([data-open]){inset:0}:host([data-open]) button{display:none}" +
      "[role=dialog]{width:100%;height:100%;margin:0;border-radius:0;box-shadow:none}}" +
      "@media print{:host{display:none}}",
  )
  var panel = document.createElement("div")
  panel.id = "panel"
  panel.hidden = true
  panel.setAttribute("role", "dialog")
  panel.setAttribute("aria-label", service.name)
  var button = document.createElement("button")
  button.type = "button"
  button.setAttribute("aria-haspopup", "dialog")
  button.setAttribute("aria-controls", "panel")
  root.append(panel, button)
  draw(false)

  button.addEventListener("click", function () {
    show(panel.hidden)
  })
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !panel.hidden && !event.defaultPrevented) show(false)
  })
  addEventListener("message", function (event) {
    if (frame && event.source === frame.contentWindow && event.origin === home.origin && event.data === "xbot:close") show(false)
  })
  if (document.body) document.body.append(host)
  else
    addEventListener("DOMContentLoaded", function () {
      document.body.append(host)
    })

  function show(open) {
    if (open && !frame) load()
    panel.hidden = !open
    draw(open)
    if (open) frame.focus()
    else button.focus()
  }

  /** The page is asked for when somebody wants it. */
  function load() {
    var address = new URL(home.pathname.replace(/\/embed\.js$/, ""), home)
    address.searchParams.set("embed", "1")
    if (given.lang) address.searchParams.set("lang", language)
    if (given.key) address.hash = "key=" + encodeURIComponent(given.key)
    frame = document.createElement("iframe")
    frame.title = service.name
    frame.allow = "clipboard-write"
    frame.referrerPolicy = "no-referrer"
    frame.src = address.href
    panel.append(frame)
  }

  function draw(open) {
    host.toggleAttribute("data-open", open)
    button.setAttribute("aria-expanded", String(open))
    if (open) {
      button.setAttribute("aria-label", words.close)
      return button.replaceChildren(icon(["M6 6l12 12M18 6L6 18"]))
    }
    button.removeAttribute("aria-label")
    var text = document.createElement("span")
    text.textContent = label
    button.replaceChildren(icon(["M4 5h16v11H10l-5 4v-4H4z", "M8 9.5h8M8 12.5h5"]), text)
  }

  function icon(lines) {
    var svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    svg.setAttribute("viewBox", "0 0 24 24")
    svg.setAttribute("aria-hidden", "true")
    for (var n = 0; n < lines.length; n++) {
      var path = document.createElementNS("http://www.w3.org/2000/svg", "path")
      path.setAttribute("d", lines[n])
      svg.append(path)
    }
    return svg
  }

  /** A sheet that is made here stands under no policy of the page about inline styles. */
  function styled(text) {
    var sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    root.adoptedStyleSheets = [sheet]
  }
})()
