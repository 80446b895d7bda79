import type { OtherSession } from "../../api/others"

/** Under which the page keeps the conversations of others. */
export const othersKey = ["others"]

/** Those that are not one's own. A subagent's goes with the conversation above it, and those of consumers are at their services. */
export const ofOthers = (sessions: OtherSession[], me: string): OtherSession[] => sessions.filter(({ user, chat_type, channel }) => user !== me && chat_type !== "subagent" && channel !== "svc")

/** What a conversation of others is called: its place on a platform, else its title, else its key. */
export const nameOf = ({ origin, title, key }: OtherSession): string => origin.label || origin.subject || title || key
