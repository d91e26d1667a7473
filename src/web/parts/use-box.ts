import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The size of an element, as it changes. */
export function useBox<E extends HTMLElement>(): { readonly ref: RefObject<E | null>; readonly width: number; readonly height: number } {
  const ref = useRef<E>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, ...size }
}
