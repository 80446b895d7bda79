import { spawn } from "node:child_process"

/** Runs a shell command to its end. */
export function run(command) {
  return new Promise((done, failed) => {
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "inherit", "inherit"] })
    child.on("error", failed)
    child.on("exit", (code) => (code === 0 ? done() : failed(new Error(`${command} ended with code ${code}.`))))
  })
}
