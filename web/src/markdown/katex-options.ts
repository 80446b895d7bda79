/** How formulas are set. A formula reaches nothing (trust), and is no larger than its text, so many em at most. */
export const katexOptions = { throwOnError: false, errorColor: "var(--danger)", trust: false, maxExpand: 1000, maxSize: 20 }
