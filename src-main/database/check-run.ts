import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * True while commands are only to be checked: each runs, and is taken back whatever comes of it. What it would refuse is thrown as always;
 * one that would succeed throws {@link NothingRefused}.
 */
export const checkRun = new AsyncLocalStorage<boolean>()

/** Ends a run that only checks: its command would have succeeded. */
export class NothingRefused extends Error {
  constructor() {
    super('the command was checked, and would have succeeded')
    this.name = 'NothingRefused'
  }
}
