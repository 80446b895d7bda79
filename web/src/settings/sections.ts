import { type ComponentType, lazy, type LazyExoticComponent } from "react"

import type { Translate } from "../i18n"

export interface SettingsSection {
  /** What its address ends with. */
  id: string
  title: Parameters<Translate>[0]
  show: LazyExoticComponent<ComponentType>
  /** What is set for oneself, or what holds for everybody. */
  group: "yours" | "installation"
  /** Only administrators have it. */
  admin?: boolean
}

/** The sections of the settings, in their order; each is loaded when it is opened. */
const sections: SettingsSection[] = [
  { id: "you", title: "you.title", group: "yours", show: lazy(() => import("../profile/ProfilePage")) },
  { id: "models", title: "models.title", group: "yours", show: lazy(() => import("../models/ModelsPage")) },
  { id: "roles", title: "roles.title", group: "yours", show: lazy(() => import("../agents/roles/RolesPage")) },
  { id: "registry", title: "registry.title", group: "yours", show: lazy(() => import("../agents/registry/RegistryPage")) },
  { id: "prompts", title: "prompts.title", group: "yours", show: lazy(() => import("../agents/prompts/PromptsPage")) },
  { id: "permissions", title: "permissions.title", group: "yours", show: lazy(() => import("../permissions/PermissionsPage")) },
  { id: "tools", title: "toolServers.title", group: "yours", show: lazy(() => import("../integrations/mcp/ToolsPage")) },
  { id: "accounts", title: "connections.title", group: "yours", show: lazy(() => import("../integrations/connections/ConnectionsPage")) },
  { id: "memory", title: "account.memory", group: "yours", show: lazy(() => import("../memory/MemoryView")) },
  { id: "runners", title: "runners.title", group: "yours", show: lazy(() => import("../runners/RunnersPage")) },
  { id: "schedules", title: "cron.title", group: "yours", show: lazy(() => import("../automation/cron/CronPage")) },
  { id: "triggers", title: "triggers.title", group: "yours", show: lazy(() => import("../automation/triggers/TriggersPage")) },
  { id: "usage", title: "usage.title", group: "yours", show: lazy(() => import("../usage/UsageView")) },
  { id: "changes", title: "changes.title", group: "yours", show: lazy(() => import("../admin/activity/ChangesPage")) },
  { id: "channels", title: "channels.title", group: "installation", admin: true, show: lazy(() => import("../channels/ChannelsPage")) },
  { id: "services", title: "services.title", group: "installation", admin: true, show: lazy(() => import("../services/ServicesPage")) },
  { id: "inbox", title: "inbox.title", group: "installation", admin: true, show: lazy(() => import("../services/inbox/InboxPage")) },
  { id: "people", title: "people.title", group: "installation", admin: true, show: lazy(() => import("../admin/users/UsersPage")) },
  { id: "policy", title: "policy.title", group: "installation", admin: true, show: lazy(() => import("../admin/policy/PolicyPage")) },
  { id: "hooks", title: "hooks.title", group: "installation", admin: true, show: lazy(() => import("../automation/hooks/HooksPage")) },
  { id: "plugins", title: "plugins.title", group: "installation", admin: true, show: lazy(() => import("../integrations/plugins/PluginsPage")) },
  { id: "limits", title: "limits.title", group: "installation", admin: true, show: lazy(() => import("../admin/limits/LimitsPage")) },
  { id: "runs", title: "runs.title", group: "installation", admin: true, show: lazy(() => import("../admin/activity/RunsPage")) },
  { id: "tracing", title: "tracing.title", group: "installation", admin: true, show: lazy(() => import("../admin/tracing/TracingPage")) },
  { id: "about", title: "about.title", group: "installation", show: lazy(() => import("./AboutPage")) },
]

/** Those that a person has. */
export const sectionsOf = (admin: boolean): SettingsSection[] => sections.filter((section) => admin || !section.admin)
