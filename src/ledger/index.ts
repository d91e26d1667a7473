export { type LedgerEntry, ledgerLine, originals, parseLedger, readLedger, recordUndone } from './ledger.ts'
