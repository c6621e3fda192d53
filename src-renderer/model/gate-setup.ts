/** What is pasted on the server of a gate. */
export interface GateCommands {
  /** Starts the gate with its key. */
  start: string
  /** Has Caddy answer at its address, with a certificate. */
  proxy: string
}

/** The port of a gate behind a server that does TLS; see src-main/headless/gate.ts. */
const gatePort = 4290

/** Returns a key of 32 characters that nobody can guess. */
export function newGateKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** @param address as it was typed so far */
export function gateCommands(address: string, key: string): GateCommands {
  const host =
    address
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/\/.*$/, '') || 'links.example.com'
  return {
    // Quoted, since a person may have chosen another key.
    start: `LISTWRIGHT_GATE_KEY='${key.replaceAll("'", `'\\''`)}' listwright gate --data-dir ~/listwright-gate`,
    proxy: `caddy reverse-proxy --from ${host} --to 127.0.0.1:${gatePort}`
  }
}
