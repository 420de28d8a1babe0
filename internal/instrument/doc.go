// Package instrument is what the generator watches of itself: when it did not run, how long its threads waited for a
// CPU, how quotas throttled it, which CPUs it may use and how busy those are, and what garbage collection took.
//
// It stands beside the engine, which starts a Meter with the run, opens and closes it with the measurement window, and
// asks it at the end of an operation how much of its time lay in gaps (Overlap). The Reading of the window goes
// through the record into the run document. Overlap is safe for any goroutine and locks nothing, and CPUs is safe;
// the rest belongs to whoever started the Meter.
//
// # Gaps
//
// A goroutine sleeps for a millisecond, again and again. How late it wakes is the lateness. That alone is no gap: in a
// busy process it waits for its turn among the other goroutines. But then the process uses CPU time, by its own
// clock (CLOCK_PROCESS_CPUTIME_ID), and in a process that cannot run, it does not. A gap is what is left of
// the lateness when all CPU time is taken off that any thread used since the sleeper went to sleep; from MinGap on it
// counts. So it is a lower bound, and nothing ran in it for certain. With a generator that runs on several CPUs of
// which only some are taken away there may be none: the run delay shows those.
//
// Measured on a virtual machine of two CPUs, Linux 6.18, Go 1.26, over 2 to 4 s each; lateness in ms, and how many gaps
// there were of more than 1, 2 and 5 ms:
//
//	condition                                      p50     p99    max   gaps  >1   >2   >5
//	idle                                          0.11    0.18    0.4          0    0    0
//	idle, beside the builds of others             0.09    0.84    3.6         28   10    0
//	loops in its own process, 1 on 2 CPUs         0.10    0.17    3.4          0    0    0
//	loops in its own process, 2 on 2 CPUs        19.2     27.6   39.3          0    0    0
//	loops in its own process, 8 on 2 CPUs        19.2     39.3   99.8          0    0    0
//	hashing of 1 MiB, 2 on 2 CPUs                19.2     22.9   39.4          0    0    0
//	allocating, 8 on 2 CPUs                      10.7     70.9   86.2          0    0    0
//	goroutines that wake one another, 8           0.00    0.26   72.3          0    0    0
//
// Loops of other processes on the only CPU that it may use, all other things as above, over 3 s beside the builds of
// others, and a quota of 0.3 CPUs in a group above its own:
//
//	condition                                      p50     p99    max   gaps  >1   >2   >5
//	idle, 1 loop                                  0.08    4.2    66.0        233  116    6
//	idle, 2 loops                                 0.07    7.0    81.9        384  241   26
//	idle, 4 loops                                 0.15    9.1    44.3        503  282   49
//	hashing, 1 loop                              19.8    30.8    43.0        134  134  134
//	hashing, 4 loops                             28.2   139     153           78   78   78
//	hashing, quota                                0.07   70.2    79.3         53   48   34
//
// A run of chat at 700 messages a second, stopped for a second in a window of four: one gap of 1.002 s, a raw p99 of
// 962 ms, and one of 1.4 ms without it.
//
// Hence MinGap is 2 ms: more than an idle system's lateness, and less than the 3 to 4 ms for which a scheduler
// gives a CPU to another process at the least. A busy process of its own makes hardly one, whatever it does.
//
// Overlap takes 2 ns where nothing was amiss, 25 ns with a gap near by, and 27 µs over all that are kept.
//
// # What it does not see
//
//   - The run delay of threads that ended within the window: they take theirs with them.
//   - Throttling by quotas above a container's own group, where that is the top of what is mounted; the gaps that it
//     makes are seen.
//   - How much of the throttled time was each CPU's: the system adds up that of all CPUs, in both versions of control
//     groups, so that a group with threads on several of them is throttled for longer than the time that passes.
//   - Garbage collection that has not ended: the runtime brings its CPU time up to date at the end of each collection.
//   - On other systems than Linux there are only lateness, gaps of 50 ms and more, and garbage collection's pauses.
package instrument
