import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiClient } from './api/client.ts'
import { Console } from './app/console.tsx'
import { applyTheme, savedTheme } from './app/settings.ts'

applyTheme(savedTheme())
const place = document.getElementById('root')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <Console api={new ApiClient((url, init) => fetch(url, init))} />
    </StrictMode>,
  )
