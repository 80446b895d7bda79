import { queryOptions } from "@tanstack/react-query"

import { type Bot, listChannels } from "../api/channels"
import type { Translate } from "../i18n"
import { channelName } from "./place"

/** Milliseconds between two looks at how the bots stand, while somebody looks. */
const LOOK = 2_000

export const channelsQuery = queryOptions({ queryKey: ["channels"], queryFn: listChannels, refetchInterval: LOOK })

/** What people call a bot: its platform, with its name where it has one. */
export const nameOf = (t: Translate, { channel, account }: Bot): string => channelName(t, channel) + (account === "" ? "" : `/${account}`)
