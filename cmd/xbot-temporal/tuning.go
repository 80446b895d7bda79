package main

import (
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

// gcPercent is GOGC unless the environment has one. Of the memory of a loaded server most is garbage that waits for
// its collection, which costs little here.
const gcPercent = 50

const (
	queueWorkers     = 64
	idleQueueWorkers = 4 // of queues that one machine does not use
)

const (
	// aliveEvery is how long a connection is silent before its client is asked whether it is alive (default 1 min), and aliveWithin how long that
	// may take to answer (default 10 s). The polls of a worker that is frozen, or whose machine is gone, stay open until then and take tasks, each of
	// which is lost until its timeout. A client that was only slow connects again.
	aliveEvery  = 2 * time.Second
	aliveWithin = 3 * time.Second
)

// tuning is the dynamic configuration for one machine. The server's defaults are made for large clusters: with them
// a turn of four activities takes 450 ms, with these 45 ms.
var tuning = dynamicconfig.StaticClient{
	// Task dispatch polls each shard's queue at most this often; at the default of 20 a second, every dispatch
	// after a burst of 20 waits 50 ms.
	dynamicconfig.TransferProcessorMaxPollRPS.Key(): 2000,
	// With the default of 4 partitions, tasks wait in partitions without a poller: tails of 2 s.
	dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
	dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
	dynamicconfig.KeepAliveTime.Key():                       aliveEvery,
	dynamicconfig.KeepAliveTimeout.Key():                    aliveWithin,
	// Each run of a session's workflow id is one turn; the default of 1 s throttles quick turns.
	dynamicconfig.WorkflowIdReuseMinimalInterval.Key(): time.Duration(0),
	// One busy user's tasks do not starve the others'.
	dynamicconfig.MatchingEnableFairness.Key(): true,
	// Activities start on the worker that completes the workflow task, without a detour through matching.
	dynamicconfig.EnableActivityEagerExecution.Key(): true,
	dynamicconfig.WorkflowPauseEnabled.Key():         true,
	// By default the state of each run stays in memory for an hour after it closed, by number and not by size, which came
	// to 17 kB a turn. The active runs have to fit: a run of xbot is a few kB, and the queues below work on about two
	// hundred at a time. A turn that waits and was evicted is read again from Postgres.
	dynamicconfig.HistoryCacheSizeBasedLimit.Key():        true,
	dynamicconfig.HistoryCacheHostLevelMaxSizeBytes.Key(): 2 << 20,
	dynamicconfig.HistoryCacheTTL.Key():                   time.Minute,
	dynamicconfig.HistoryCacheBackgroundEvict.Key(): dynamicconfig.CacheBackgroundEvictSettings{
		Enabled:         true,
		LoopInterval:    10 * time.Second,
		MaxEntryPerCall: 1024,
	},
	// Events are read again when a run closes or is retried, which for most is soon. These are of each shard.
	dynamicconfig.EventsCacheMaxSizeBytes.Key(): 128 << 10,
	dynamicconfig.EventsCacheTTL.Key():          time.Minute,
	// Events for other clusters, which there are none of.
	dynamicconfig.XDCCacheMaxSizeBytes.Key(): 64 << 10,
	// The workers of the queues are goroutines whose stacks stay as large as they once were: the default of 512 for each
	// queue holds up to 60 MB, and a machine of a few cores keeps no more than some of them busy.
	dynamicconfig.TransferProcessorSchedulerWorkerCount.Key():               queueWorkers,
	dynamicconfig.TimerProcessorSchedulerWorkerCount.Key():                  queueWorkers,
	dynamicconfig.VisibilityProcessorSchedulerWorkerCount.Key():             queueWorkers,
	dynamicconfig.ArchivalProcessorSchedulerWorkerCount.Key():               idleQueueWorkers,
	dynamicconfig.ReplicationProcessorSchedulerWorkerCount.Key():            idleQueueWorkers,
	dynamicconfig.ReplicationLowPriorityProcessorSchedulerWorkerCount.Key(): idleQueueWorkers,
	// No payload is stored elsewhere, so none are looked for in each event.
	dynamicconfig.ExternalPayloadsEnabled.Key(): false,
	// The check would report this server to its makers.
	dynamicconfig.EnableServerVersionCheck.Key(): false,
}
