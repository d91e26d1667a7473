// Loaded into a process before its program: some seconds after its start the clock jumps, as when somebody sets it.
const by = Number(process.env.TEST_CLOCK_JUMP)
const Right = Date

class Wrong extends Right {
  constructor(...given: ConstructorParameters<typeof Right> | []) {
    super(...((given.length === 0 ? [Right.now() + by] : given) as ConstructorParameters<typeof Right>))
  }

  static override now(): number {
    return Right.now() + by
  }
}

setTimeout(() => {
  globalThis.Date = Wrong as DateConstructor
  process.stderr.write(`the clock is wrong by ${Date.now() - Right.now()} ms\n`)
}, 3000).unref()

export {}
