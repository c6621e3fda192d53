import type { DiskSpace, homeEndpoints, SubscriberGrowth } from '../../src-main/workbench/home/endpoints.ts'
import { windowCalls } from './client.ts'

export type { DiskSpace, SubscriberGrowth }

const { call } = windowCalls<typeof homeEndpoints>()

export function fetchSubscriberGrowth(): Promise<SubscriberGrowth> {
  return call('GET /subscriber_growth')
}

export function fetchDiskSpace(): Promise<DiskSpace> {
  return call('GET /disk_space')
}
