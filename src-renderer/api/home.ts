import type {
  DatabaseFault,
  DiskSpace,
  homeEndpoints,
  SubscriberGrowth
} from '../../src-main/workbench/home/endpoints.ts'
import { windowCalls } from './client.ts'

export type { DatabaseFault, DiskSpace, SubscriberGrowth }

const { call } = windowCalls<typeof homeEndpoints>()

export function fetchSubscriberGrowth(): Promise<SubscriberGrowth> {
  return call('GET /subscriber_growth')
}

export function fetchDatabaseFaults(): Promise<DatabaseFault[]> {
  return call('GET /database_faults')
}

export function fetchDiskSpace(): Promise<DiskSpace> {
  return call('GET /disk_space')
}
