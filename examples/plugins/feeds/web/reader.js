"use strict"
// What the person follows, with the newest entries. Texts of feeds are strangers': they are set as text, never as HTML.
const words = {
  en: { address: "Address of a feed", follow: "Follow", stop: "Stop", stopLabel: "Stop following", none: "You follow no feeds yet.", loading: "Loading…" },
  zh: { address: "订阅源的地址", follow: "订阅", stop: "取消", stopLabel: "取消订阅", none: "还没有订阅任何源。", loading: "正在加载…" },
}
let say = words.en
const at = (id) => document.getElementById(id)

const made = (tag, text, ...inside) => {
  const element = document.createElement(tag)
  if (text) element.textContent = text
  element.append(...inside)
  return element
}

const tell = (text, bad = false) => {
  at("said").textContent = text
  at("said").className = bad ? "bad" : ""
}

const day = (when) => {
  const at = new Date(when)
  return isNaN(at) ? when : at.toLocaleDateString(document.documentElement.lang, { dateStyle: "medium" })
}

const entry = ({ title, link, when, text }) => {
  const item = made("li", "", made("b", title))
  if (when || text) item.append(made("p", [when && day(when), text].filter(Boolean).join(" · ")))
  if (link) item.append(made("code", link))
  return item
}

const card = ({ url, title, entries, problem }) => {
  const stop = made("button", say.stop)
  stop.setAttribute("aria-label", `${say.stopLabel}: ${title}`)
  stop.onclick = () => load({ unfollow: url }, stop)
  const section = made("section", "", made("header", "", made("h2", title), stop))
  if (problem) section.append(made("p", problem))
  if (problem) section.lastChild.className = "problem"
  section.append(made("ul", "", ...(entries || []).map(entry)))
  return section
}

async function load(params, button) {
  tell(say.loading)
  if (button) button.disabled = true
  try {
    const { feeds } = await xbot.ask(params)
    at("feeds").replaceChildren(...feeds.map(card))
    tell(feeds.length ? "" : say.none)
    if (params.follow) at("url").value = ""
  } catch (error) {
    tell(error.message, true)
  }
  if (button) button.disabled = false
}

const speak = ({ language }) => {
  say = words[language] || words.en
  at("url").placeholder = say.address
  at("url").setAttribute("aria-label", say.address)
  at("follow").textContent = say.follow
}

// A frame like this one sends no forms, so that there is none.
const follow = () => {
  const url = at("url").value.trim()
  if (url) void load({ follow: url }, at("follow"))
}
at("follow").onclick = follow
at("url").onkeydown = ({ key, isComposing }) => {
  if (key === "Enter" && !isComposing) follow()
}
xbot.onLook((look) => {
  speak(look)
  void load({})
})
xbot.ready().then((look) => {
  speak(look)
  void load({})
})
