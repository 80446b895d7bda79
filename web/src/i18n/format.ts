import type { Language, Translate } from "./index"

const locale = (language: Language): string => (language === "zh" ? "zh-CN" : "en-GB")

/** "40 ms", "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function duration(t: Translate, milliseconds: number): string {
  if (milliseconds < 100) return t("time.milliseconds", { n: Math.max(1, Math.round(milliseconds)) })
  const seconds = milliseconds / 1000
  if (seconds < 9.95) return t("time.seconds", { n: seconds.toFixed(1) })
  return wholeDuration(t, seconds)
}

/** A duration that is still growing: whole seconds only, so that it ticks calmly. */
export function wholeDuration(t: Translate, seconds: number): string {
  const whole = Math.round(Math.max(0, seconds))
  if (whole < 60) return t("time.seconds", { n: whole })
  if (whole < 3600) return t("time.minutes", { m: Math.floor(whole / 60), s: whole % 60 })
  return t("time.hours", { h: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60) })
}

export function count(language: Language, n: number): string {
  return n.toLocaleString(locale(language))
}

/** Time of day for today, else the date with it. */
export function moment(language: Language, iso: string): string {
  const date = new Date(iso)
  const today = date.toDateString() === new Date().toDateString()
  const time: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" }
  return date.toLocaleString(locale(language), today ? time : { ...time, day: "numeric", month: "short" })
}

export function fullMoment(language: Language, iso: string): string {
  return new Date(iso).toLocaleString(locale(language), { dateStyle: "medium", timeStyle: "medium" })
}

const units = ["B", "kB", "MB", "GB"]

/** A size of a file or an output: "512 B", "12.3 kB", "4 MB". */
export function bytes(language: Language, n: number): string {
  let size = n
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  const digits = unit > 0 && size < 99.5 ? 1 : 0
  return `${size.toLocaleString(locale(language), { maximumFractionDigits: digits })} ${units[unit]}`
}
