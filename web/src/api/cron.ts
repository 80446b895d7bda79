// The calls about what is done at certain times.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Job = components["schemas"]["Job"]
export type JobRun = components["schemas"]["JobRun"]
export type JobPlan = Omit<components["schemas"]["NewJob"], "$schema" | "once">

export interface Jobs {
  jobs: Job[]
  /** Of jobs that name none. */
  timezone: string
  /** Who says so. */
  timezone_from: "profile" | "policy" | "server"
}

export interface Preview {
  when: string
  timezone: string
  times: string[]
}

/** Which jobs are meant; everything that is left out: the person's own. */
export interface JobFilter {
  all?: boolean
  track?: "house" | "services"
  service?: string
}

export type RunDetails = Omit<components["schemas"]["JobRunDetails"], "steps"> & { steps: components["schemas"]["JobStep"][] }
export type TimelineItem = components["schemas"]["TimelineItem"]
export type Timeline = Omit<components["schemas"]["Timeline"], "items"> & { items: TimelineItem[] }

export async function listJobs(filter: JobFilter = {}): Promise<Jobs> {
  const { jobs, timezone, timezone_from } = await unwrap(api.GET("/api/cron", { params: { query: filter } }))
  return { jobs: jobs ?? [], timezone, timezone_from }
}

const at = (job: string) => ({ params: { path: { job } } })

/** Keeps a job; the same key again makes no second one. */
export const addJob = (plan: JobPlan, once: string) => unwrap(api.POST("/api/cron", { body: { ...plan, once } }))

/** Puts a plan in the place of another. A conflict: somebody else changed the job meanwhile. */
export const changeJob = (job: Job, plan: JobPlan) => unwrap(api.PUT("/api/cron/{job}", { ...at(job.id), body: { ...plan, revision: job.revision } }))

export const pauseJob = (job: string) => unwrap(api.POST("/api/cron/{job}/pause", at(job)))

export const resumeJob = (job: string) => unwrap(api.POST("/api/cron/{job}/resume", at(job)))

export const runJob = (job: string, once: string) => unwrap(api.POST("/api/cron/{job}/run", { ...at(job), body: { once } }))

export const deleteJob = (job: string) => unwrap(api.DELETE("/api/cron/{job}", at(job)))

export async function listRuns(job: string): Promise<JobRun[]> {
  const { runs } = await unwrap(api.GET("/api/cron/{job}/runs", at(job)))
  return runs ?? []
}

/** What a run did. */
export async function readRun(job: string, run: number): Promise<RunDetails> {
  const { steps, ...rest } = await unwrap(api.GET("/api/cron/{job}/runs/{run}", { params: { path: { job, run } } }))
  return { ...rest, steps: steps ?? [] }
}

/** When jobs run in the next seven days, and when they ran in the last seven. */
export async function readTimeline(filter: JobFilter): Promise<Timeline> {
  const { items, ...rest } = await unwrap(api.GET("/api/cron-timeline", { params: { query: filter } }))
  return { ...rest, items: items ?? [] }
}

/** Has all conversations of a service told something; the same key again does nothing new. */
export const publishTask = (service: string, message: string, type: "once" | "cron" | "interval", schedule: string, once: string) =>
  unwrap(api.POST("/api/service-tasks", { body: { service_ids: [service], message, schedule_type: type, schedule, once } }))

export async function previewTimes(when: string, timezone: string): Promise<Preview> {
  const { times, ...rest } = await unwrap(api.POST("/api/cron/preview", { body: { when, timezone } }))
  return { ...rest, times: times ?? [] }
}
