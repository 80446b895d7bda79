import { readItem, writeItem } from "../lib/storage"
import { Store, useStore } from "../lib/store"

const place = "xbot.notify"

/** Whether this browser tells of long turns that have ended: the person asked for it here. */
const wished = new Store(readItem(place) === "on")

/** Whether the browser can tell anything. */
export const canNotify = (): boolean => "Notification" in window

/** Whether the person asked for notifications, and the browser lets the page show them. */
export function useNotify(): boolean {
  return useStore(wished) && canNotify() && Notification.permission === "granted"
}

/** Turns notifications on, after a click: the browser asks the person. False: they or the browser refuse. */
export async function notifyOn(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false
  keep(true)
  return true
}

export const notifyOff = (): void => keep(false)

function keep(on: boolean): void {
  wished.set(on)
  writeItem(place, on ? "on" : "")
}
