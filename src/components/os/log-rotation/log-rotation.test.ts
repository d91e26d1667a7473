import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { logRotation } from './index.ts'
import { logrotateFile } from './templates.ts'

conforms(logRotation, oneHost())

describe('log rotation', () => {
  it('takes the logs of components and leaves the audit log to the API server', async () => {
    await expect(logrotateFile()).toMatchFileSnapshot('golden/logrotate.conf')
    expect(logrotateFile()).not.toContain('kubernetes/*.log')
  })
})
