import { queryOptions } from "@tanstack/react-query"

import { type JobFilter, type JobRun, listJobs, listRuns, previewTimes, readRun, readTimeline } from "../../api/cron"
import type { Language } from "../../i18n"
import type { CronWord } from "../../i18n/cron"
import type { Say } from "../../i18n/table"

/** Milliseconds between two looks, while somebody looks. */
const LOOK = 2_000

export const jobsQuery = queryOptions({ queryKey: ["jobs"], queryFn: () => listJobs(), refetchInterval: LOOK })

export const timelineQuery = (filter: JobFilter) => queryOptions({ queryKey: ["jobs", "timeline", filter], queryFn: () => readTimeline(filter), refetchInterval: 5 * LOOK })

export const serviceJobsQuery = (service: string) => queryOptions({ queryKey: ["jobs", "service", service], queryFn: () => listJobs({ all: true, service }), refetchInterval: LOOK })

export const runQuery = (job: string, run: number) => queryOptions({ queryKey: ["jobs", job, "runs", run], queryFn: () => readRun(job, run), refetchInterval: LOOK })

export const runsQuery = (job: string) => queryOptions({ queryKey: ["jobs", job, "runs"], queryFn: () => listRuns(job), refetchInterval: LOOK })

export const previewQuery = (when: string, zone: string) =>
  queryOptions({ queryKey: ["jobs", "preview", when, zone], queryFn: () => previewTimes(when, zone), enabled: when.trim() !== "", retry: false, staleTime: LOOK })

/** A time as the clocks of a timezone show it. */
export function timeIn(language: Language, iso: string, zone: string): string {
  const options: Intl.DateTimeFormatOptions = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" }
  try {
    return new Date(iso).toLocaleString(language === "zh" ? "zh-CN" : "en-GB", { ...options, timeZone: zone })
  } catch {
    return new Date(iso).toLocaleString(language === "zh" ? "zh-CN" : "en-GB", options) // a zone that this browser does not know
  }
}

const outcomes: Record<JobRun["outcome"], CronWord> = {
  queued: "outQueued", timeout: "outTimeout", waiting: "outWaiting", running: "outRunning", done: "outDone", silent: "outSilent", stopped: "outStopped", failed: "outFailed", lost: "outLost", skipped: "outSkipped", gone: "outGone",
}

const whys: Record<NonNullable<JobRun["why"]>, CronWord> = { waiting: "whyWaiting", busy: "whyBusy", hours: "whyHours", empty: "whyEmpty", disabled: "whyDisabled", gone: "whyGone", budget: "whyBudget", revoked: "whyRevoked" }

/** What became of a run, with the reason where there is one. */
export const outcomeOf = (say: Say<CronWord>, { outcome, why }: JobRun): string => say(outcomes[outcome]) + (why ? ` (${say(whys[why])})` : "")
