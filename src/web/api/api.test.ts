import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiClient, ApiError } from './client.ts'
import { type Connection, follow } from './follow.ts'
import { MessageParser } from './sse.ts'
import type { EventJson, Job } from './types.ts'

const frame = (seq: number, event: EventJson): string => `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const note = (message: string): EventJson => ({ type: 'note', at: '2026-01-02T03:04:05.000Z', message })
const endOf = (status: Job['status']): string => `event: end\ndata: ${JSON.stringify({ status })}\n\n`

/** A server that gives these answers one after the other, and what it was asked. */
function answering(...answers: readonly (() => Response | Promise<Response>)[]) {
  const asked: { url: string; init: RequestInit }[] = []
  const api = new ApiClient(async (url, init) => {
    asked.push({ url, init })
    const answer = answers[asked.length - 1]
    if (answer === undefined) throw new Error('asked once too often')
    return answer()
  })
  return { api, asked }
}
const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status })
/** A stream of pieces that then ends, as when the connection is lost. */
const stream =
  (...pieces: readonly string[]) =>
  () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
          controller.close()
        },
      }),
    )

describe('MessageParser', () => {
  it('gives the same messages however the text is cut into pieces', () => {
    const text = `retry: 1000\n\n: still here\n\n${frame(1, note('a: b'))}${frame(2, note('二'))}data: x\ndata: y\r\n\r\n`
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const parser = new MessageParser()
        const messages = at.slice(1).flatMap((end, index) => parser.feed(text.slice(at[index], end)))
        expect(messages.map(({ id, event, data }) => [id, event, data])).toEqual([
          ['1', 'note', JSON.stringify(note('a: b'))],
          ['2', 'note', JSON.stringify(note('二'))],
          ['2', 'message', 'x\ny'],
        ])
      }),
    )
  })
})

describe('ApiClient', () => {
  it('sends a config with its options and key, and the language', async () => {
    const { api, asked } = answering(json({ job_id: 'j', warnings: [] }, 202))
    api.language = 'zh-CN'
    await api.createCluster('a: b', { rehearse: true, rollback_on_failure: false, parallel: 3, limit_hosts: '' }, 'key-1')
    expect(asked[0]?.url).toBe('/api/v1/clusters?rehearse=true&parallel=3')
    expect(asked[0]?.init).toMatchObject({
      method: 'POST',
      body: 'a: b',
      headers: { 'Content-Type': 'application/yaml', 'Idempotency-Key': 'key-1', 'Accept-Language': 'zh-CN' },
    })
  })

  it('gives refusals with their words, and foreign ones with what they said', async () => {
    const refusal = { code: 'KX_CONFIG', problem: 'the config has one error', fix: 'mend it', errors: [{ line: 3 }] }
    const { api } = answering(json(refusal, 422), () => new Response('<html>bad gateway</html>', { status: 502 }))
    await expect(api.validate('x')).rejects.toMatchObject({ status: 422, refusal })
    await expect(api.jobs()).rejects.toMatchObject({ status: 502, refusal: { code: 'HTTP 502', problem: '<html>bad gateway</html>' } })
  })

  it('tells when the server no longer knows us, but not while we sign in', async () => {
    const { api } = answering(json({}, 401), json({}, 401))
    let told = 0
    api.onSignedOut = () => told++
    await expect(api.signIn('wrong')).rejects.toBeInstanceOf(ApiError)
    expect(told).toBe(0)
    await expect(api.jobs()).rejects.toBeInstanceOf(ApiError)
    expect(told).toBe(1)
  })

  it('escapes names in paths', async () => {
    const { api, asked } = answering(json({}))
    await api.cluster('../a b')
    expect(asked[0]?.url).toBe('/api/v1/clusters/..%2Fa%20b')
  })
})

describe('follow', () => {
  async function followed(api: ApiClient, after = 0) {
    const seen: number[] = []
    const connections: Connection[] = []
    let ended: Job | null | undefined
    const stop = new AbortController()
    await follow(
      api,
      'job-1',
      after,
      {
        events: (batch) => void seen.push(...batch.map(({ seq }) => seq)),
        connection: (state) => void connections.push(state),
        ended: (job) => {
          ended = job
        },
      },
      stop.signal,
    )
    return { seen, connections, ended }
  }

  it('goes on after the last event it heard when the connection is lost', async () => {
    const half = frame(3, note('c'))
    const { api, asked } = answering(
      stream(frame(1, note('a')), frame(2, note('b')), half.slice(0, 20)),
      () => Promise.reject(new TypeError('network error')),
      stream(half, endOf('Success')),
    )
    const { seen, connections, ended } = await followed(api)
    expect(seen).toEqual([1, 2, 3])
    expect(asked.map(({ url }) => url)).toEqual([0, 2, 2].map((after) => `/api/v1/jobs/job-1/events?after=${after}`))
    expect(connections).toEqual(['connecting', 'live', 'lost', 'connecting', 'lost', 'connecting', 'live', 'ended'])
    expect(ended?.status).toBe('Success')
  })

  it('stops when there is no more to come', async () => {
    const { api } = answering(() => new Response(null, { status: 204 }))
    expect(await followed(api, 7)).toEqual({ seen: [], connections: ['connecting', 'ended'], ended: null })
  })

  it('does not ask again for what is refused', async () => {
    const { api, asked } = answering(json({ code: 'KX_JOB_UNKNOWN', problem: 'x', fix: 'y' }, 404))
    expect((await followed(api)).connections).toEqual(['connecting', 'ended'])
    expect(asked).toHaveLength(1)
  })
})
