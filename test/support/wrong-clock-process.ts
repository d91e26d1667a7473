// Loaded into a process before its program: some seconds after its start the clock jumps, as when somebody sets it.
const by = Number(process.env.TEST_CLOCK_JUMP)
const Right = Date
const rightNow = Right.now

// The same class in a disguise: dates that were made before the jump are still dates.
const wrong = new Proxy(Right, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [Right.now()] : given, made),
})

setTimeout(() => {
  Right.now = () => rightNow() + by
  Right.prototype.constructor = wrong
  globalThis.Date = wrong
  process.stderr.write(`the clock is wrong by ${Date.now() - rightNow()} ms\n`)
}, 3000).unref()

export {}
