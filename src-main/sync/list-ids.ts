/** Maps list ids of this side to those of the remote, and back. */
export interface ListIds {
  theirs: (localId: number) => number | undefined
  local: (theirId: number) => number | undefined
}

export function listIdsOf(pairs: readonly (readonly [localId: number, theirId: number])[]): ListIds {
  const theirs = new Map(pairs)
  const local = new Map(pairs.map(([localId, theirId]) => [theirId, localId]))
  return { theirs: (id) => theirs.get(id), local: (id) => local.get(id) }
}
