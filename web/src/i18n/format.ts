import type { Language, Translate } from "."

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

/** A day without its time, from "2026-11-21". */
export function day(language: Language, date: string): string {
  const options: Intl.DateTimeFormatOptions = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }
  return new Date(`${date.slice(0, 10)}T00:00:00Z`).toLocaleDateString(locale(language), options)
}

/** An amount of money; very small ones with more digits, so that they are not zero. */
export function money(language: Language, currency: string, amount: number): string {
  const digits = amount > 0 && amount < 0.00995 ? 4 : 2
  return amount.toLocaleString(locale(language), { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: digits })
}

/** A count of tokens where a reader wants the size, not the number: "950", "1.2 k", "38 k", "1.2 M". */
export function tokens(language: Language, n: number): string {
  const [divisor, unit] = n < 999.5 ? [1, ""] : n < 999_500 ? [1000, "\u00a0k"] : [1_000_000, "\u00a0M"]
  const size = n / divisor
  const digits = divisor > 1 && size < 9.95 ? 1 : 0
  return `${size.toLocaleString(locale(language), { maximumFractionDigits: digits })}${unit}`
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
