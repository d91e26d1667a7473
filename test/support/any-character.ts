import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/** Any character there is. The library's own way to say so makes a table of all million of them first, in every process. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((n) => String.fromCodePoint(n < surrogates.first ? n : n + surrogates.count))
