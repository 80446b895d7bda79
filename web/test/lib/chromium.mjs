import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "playwright-core"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

/** Path of a Chromium: CHROMIUM_PATH, else the first one on PATH. Undefined when there is none. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  if (named) return existsSync(named) ? named : undefined
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) if (folder && existsSync(join(folder, name))) return join(folder, name)
  }
  return undefined
}

/** Starts it with a profile of its own (Playwright makes one and removes it) that speaks to nobody but the server under test. */
export function launchChromium(executablePath) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-fake-device-for-media-stream", // a microphone that beeps
      "--use-fake-ui-for-media-stream", // and may be used
    ],
  })
}
