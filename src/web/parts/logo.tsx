/** The mark of kubexm. */
export function Logo({ size = 20 }: { readonly size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" />
      <path d="M4.5 3.5v9M4.5 8.2 11 3.6M6.6 7l4.9 5.5" />
    </svg>
  )
}
