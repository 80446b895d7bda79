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
  { id: "you", title: "you.title", group: "yours", show: lazy(() => import("./You")) },
  { id: "models", title: "models.title", group: "yours", show: lazy(() => import("../models/ModelsPage")) },
  { id: "roles", title: "roles.title", group: "yours", show: lazy(() => import("../roles/RolesPage")) },
  { id: "registry", title: "registry.title", group: "yours", show: lazy(() => import("../registry/RegistryPage")) },
  { id: "prompts", title: "prompts.title", group: "yours", show: lazy(() => import("../prompts/PromptsPage")) },
  { id: "permissions", title: "permissions.title", group: "yours", show: lazy(() => import("../permissions/PermissionsPage")) },
  { id: "tools", title: "toolServers.title", group: "yours", show: lazy(() => import("../mcp/ToolsPage")) },
  { id: "accounts", title: "connections.title", group: "yours", show: lazy(() => import("../connections/ConnectionsPage")) },
  { id: "memory", title: "account.memory", group: "yours", show: lazy(() => import("../memory/MemoryView")) },
  { id: "runners", title: "runners.title", group: "yours", show: lazy(() => import("./Runners")) },
  { id: "schedules", title: "cron.title", group: "yours", show: lazy(() => import("../cron/CronPage")) },
  { id: "triggers", title: "triggers.title", group: "yours", show: lazy(() => import("../triggers/TriggersPage")) },
  { id: "usage", title: "usage.title", group: "yours", show: lazy(() => import("../usage/UsageView")) },
  { id: "changes", title: "changes.title", group: "yours", show: lazy(() => import("../preferences/ChangesPage")) },
  { id: "channels", title: "channels.title", group: "installation", admin: true, show: lazy(() => import("../channels/ChannelsPage")) },
  { id: "services", title: "services.title", group: "installation", admin: true, show: lazy(() => import("../services/ServicesPage")) },
  { id: "inbox", title: "inbox.title", group: "installation", admin: true, show: lazy(() => import("../inbox/InboxPage")) },
  { id: "people", title: "people.title", group: "installation", admin: true, show: lazy(() => import("./People")) },
  { id: "policy", title: "policy.title", group: "installation", admin: true, show: lazy(() => import("../policy/PolicyPage")) },
  { id: "hooks", title: "hooks.title", group: "installation", admin: true, show: lazy(() => import("../hooks/HooksPage")) },
  { id: "plugins", title: "plugins.title", group: "installation", admin: true, show: lazy(() => import("../plugins/PluginsPage")) },
  { id: "limits", title: "limits.title", group: "installation", admin: true, show: lazy(() => import("./LimitsView")) },
  { id: "runs", title: "runs.title", group: "installation", admin: true, show: lazy(() => import("./Runs")) },
  { id: "about", title: "about.title", group: "installation", show: lazy(() => import("./About")) },
]

/** Those that a person has. */
export const sectionsOf = (admin: boolean): SettingsSection[] => sections.filter((section) => admin || !section.admin)
