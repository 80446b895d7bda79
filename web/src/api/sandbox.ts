import { api, unwrap } from "./client"

/** Chooses whether commands of the server's own runner run in a sandbox. */
export const setRunnerSandbox = (confine: "auto" | "off") => unwrap(api.PUT("/api/runners/local/sandbox", { body: { confine } }))
