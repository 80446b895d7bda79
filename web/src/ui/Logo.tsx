/** The product's mark. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path d="M9.5 9.5l13 13M22.5 9.5l-13 13" className="stroke-on-accent" strokeWidth="3.4" strokeLinecap="round" />
    </svg>
  )
}
