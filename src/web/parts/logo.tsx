/** The mark of kubexm. */
export function Logo() {
  return (
    <svg className="logo" width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" />
      <path d="M4.5 3.5v9M4.5 8.2 11 3.6M6.6 7l4.9 5.5" />
    </svg>
  )
}
