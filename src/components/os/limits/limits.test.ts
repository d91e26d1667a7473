import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { limits } from './index.ts'
import { limitsFile } from './templates.ts'

conforms(limits, oneHost())

describe('the limits of logins', () => {
  it('name root beside everybody, whom the star leaves out', async () => {
    await expect(limitsFile()).toMatchFileSnapshot('golden/limits.conf')
  })
})
