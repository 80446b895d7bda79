import type { Subscription } from "../api/models"

/** Where models can be had. */
export type ServiceId =
  | "openai"
  | "anthropic"
  | "gemini"
  | "openrouter"
  | "deepseek"
  | "moonshot"
  | "qwen"
  | "zhipu"
  | "mistral"
  | "ollama"
  | "vllm"
  | "llamacpp"
  | "lmstudio"
  | "other"

export interface Service {
  id: ServiceId
  /** What a subscription to it is called unless somebody says otherwise. */
  name: string
  provider: Subscription["provider"]
  /** Empty: the provider's own, or, of the last one, not known. */
  address: string
  /** It runs beside the server, which subscriptions of people do not reach, and needs no key. */
  local?: boolean
}

/** The services that people know by name (internal/llm/preset), and any other one at the end. */
export const services: Record<ServiceId, Service> = {
  openai: { id: "openai", name: "openai", provider: "openai", address: "" },
  anthropic: { id: "anthropic", name: "anthropic", provider: "anthropic", address: "" },
  gemini: { id: "gemini", name: "gemini", provider: "openai", address: "https://generativelanguage.googleapis.com/v1beta/openai" },
  openrouter: { id: "openrouter", name: "openrouter", provider: "openai", address: "https://openrouter.ai/api/v1" },
  deepseek: { id: "deepseek", name: "deepseek", provider: "openai", address: "https://api.deepseek.com/v1" },
  moonshot: { id: "moonshot", name: "moonshot", provider: "openai", address: "https://api.moonshot.cn/v1" },
  qwen: { id: "qwen", name: "qwen", provider: "openai", address: "https://dashscope.aliyuncs.com/compatible-mode/v1" },
  zhipu: { id: "zhipu", name: "zhipu", provider: "openai", address: "https://open.bigmodel.cn/api/paas/v4" },
  mistral: { id: "mistral", name: "mistral", provider: "openai", address: "https://api.mistral.ai/v1" },
  ollama: { id: "ollama", name: "ollama", provider: "openai", address: "http://127.0.0.1:11434/v1", local: true },
  vllm: { id: "vllm", name: "vllm", provider: "openai", address: "http://127.0.0.1:8000/v1", local: true },
  llamacpp: { id: "llamacpp", name: "llamacpp", provider: "openai", address: "http://127.0.0.1:8080/v1", local: true },
  lmstudio: { id: "lmstudio", name: "lmstudio", provider: "openai", address: "http://127.0.0.1:1234/v1", local: true },
  other: { id: "other", name: "models", provider: "openai", address: "" },
}

/** Those that a subscription can be to. */
export const servicesFor = (shared: boolean): Service[] => Object.values(services).filter(({ local }) => shared || !local)

/** The service that a stored subscription leads to. */
export function serviceOf({ provider, base_url }: Pick<Subscription, "provider" | "base_url">): Service {
  if (base_url === "") return services[provider]
  return Object.values(services).find((service) => service.provider === provider && service.address === base_url) ?? services.other
}

/** Its address is known to the server, so that few people need to see it. */
export const hasOwnAddress = ({ id }: Service): boolean => id === "openai" || id === "anthropic"

/** The host that an address leads to; the address itself while it is none. */
export function hostOf(address: string): string {
  try {
    return new URL(address).host || address
  } catch {
    return address
  }
}
