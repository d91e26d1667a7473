export { type LedgerEntry, ledgerLine, newest, originals, parseLedger, readLedger, recordUndone, undoneIn } from './ledger.ts'
