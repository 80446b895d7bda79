/** KaTeX options. A formula loads nothing (trust), and lengths are limited to so many em (maxSize). */
export const katexOptions = { throwOnError: false, errorColor: "var(--danger)", trust: false, maxExpand: 1000, maxSize: 20 }
