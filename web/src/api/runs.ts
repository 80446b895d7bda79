// The calls of administrators about runs.
import { api, unwrap } from "./client"
import type { components } from "./schema"

/** A list of runs in the Temporal UI. */
export type RunsLink = components["schemas"]["RunsLink"]

export const listRunQueries = async (): Promise<RunsLink[]> => (await unwrap(api.GET("/api/inspect/runs"))).links ?? []
