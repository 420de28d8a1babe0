package glossary

// text is the glossary. A line "# title" starts a group. Below it are words: the word at the margin, then what else it
// explains in parentheses, then its meaning.
const text = `
# The load
operation
  (messages; calls; batches; requests; each operation; operations)
    one timed unit of work: a request, a message and its reply, a block, a call, a batch
client
  (clients; user; publisher; stream)
    one simulated user or connection
target
    the server under test
demo
  (demo server; built-in server)
    a run without a target, against a server that Plimsoll starts on this machine
closed model
  (think time; pipeline)
    a fixed number of clients; each starts its next operation when the previous one has ended. The default
open model
  (rate)
    operations start at a rate, no matter how fast the target responds. Set with --rate or --stages
arrivals
  (poisson; random arrivals; constant; burst)
    the spacing of starts (--arrivals). poisson: random, the default of --rate (of updates: constant, equal gaps)
offered
  (offered load; scheduled load; offered rate)
    operations that the schedule starts per second; where the throughput is lower, a backlog builds up
max clients
  (max-clients; maximum clients)
    with --rate: while all clients are busy, more are added up to this number (--max-clients)
in flight
  (operations in flight; requests in flight)
    operations that have started and have not ended
intended start
  (due; scheduled)
    the time at which the schedule of the open model starts an operation
warm-up
    operations before the window that fill caches and open connections; they are not part of the result
ramp-up
  (ramp)
    the time before the window in which the load rises linearly from 0 (--ramp); not part of the percentiles
window
  (measurement window)
    the measured part of the run, after warm-up and before drain
drain
    the time after the window in which operations in flight may end
phases
  (connect)
    warm-up, connect, ramp, window and drain, with their durations
throughput
    operations that succeeded in the window, per second
95% CI
  (confidence interval; interval; margin; ±; CI)
    95% confidence interval of a value within this run. Other runs may differ by more
effective sample size
  (effective)
    how many independent values would be equally precise; less than their number if successive values are correlated
plan
    all settings of the run
run
  (run document; environment; host)
    the id of the run, the machine, and the files that were written
label
  (labels)
    a name for a run (--label), shown in reports and searchable with 'plimsoll runs --label'
seed
    the number from which all random values are derived (--seed): the same seed generates the same load
placeholder
  (placeholders; ${…}; template)
    text such as ${id} that each operation replaces with a value of its own; docs/http.md and docs/ws.md list them
flags
  (flag; options; option)
    'plimsoll COMMAND --help' lists the common flags of a command, 'plimsoll COMMAND --help=all' all of them
until
    the metric and precision that ended the run (--until), or why that precision was not reached
threshold
  (thresholds)
    a condition on a metric (--threshold), such as p99<50ms. 'plimsoll help metrics' lists the metrics
metric
  (metrics; figure; figures; value)
    a named quantity, such as p99 or rate. 'plimsoll help metrics' lists them

# Times
response time
  (times)
    from the intended start of an operation to its end, including retries: what a user experiences
service time
    from the actual start of an operation to its end; equal to the response time in the closed model
send delay
    from the intended start of an operation to its actual start: the wait for a free client or the generator
first attempt
  (attempt)
    time of the first attempt of each operation, without retries
generator delay
  (own delay; start delay; own start delay; started late; late by it)
    part of an operation's time that the load generator caused: a late start, a pause, a response read late
corrected
  (free; free response time; raw)
    a value without the generator delay; a raw value includes it
span
    the range from the corrected to the raw value; the target's true value is in it
p50
  (median; percentile)
    50% of the operations are faster: the median
p90
    90% of the operations are faster; 1 in 10 takes longer
p95
    95% of the operations are faster; 1 in 20 takes longer
p99
    99% of the operations are faster; 1 in 100 takes longer
p99.9
  (p999)
    99.9% of the operations are faster; 1 in 1,000 takes longer
95% CI low
  (95% CI high; low; high)
    lower and upper end of the 95% confidence interval of a percentile or mean within this run
–
    no value. A percentile is shown only if at least 10 values lie above it
stage
    part of an operation's time, such as send, wait and body of a request; with --stages: a period of the load
wait
    from the request sent to the first byte of the response (http, stores and the calls of overhead)
connections
  (connections opened; opened)
    connections to the target; each reconnect adds one. In a table of requests: how many of them opened one
completed
    operations per second that succeeded (load line); flows whose operations all ended, the last one successfully
queue
  (backlog)
    operations that are due and have no response yet; in a store's client: parts that wait to be sent; updates: batches
max
    the longest time
min
    the shortest time
mean
  (avg; average)
    the sum of all times divided by their number; a few long times change it a lot

# Outcomes
ok
    completed in time and successfully
failed
  (errors; failures; failures, retries and connections; why they failed)
    not successful after all retries
unsent
    scheduled but never sent, because no client was free until the end
unfinished
    sent, but without a response at the end of the run
cause
  (failed attempts by cause; causes; causes of failures)
    why an attempt failed, such as timeout, refused, reset, or closed-by-peer with its code
retry
  (retries; backing off; connections, reconnects and retries)
    another attempt of an operation, after a back-off
reconnect
  (reconnects; reconnecting)
    a new connection that replaces a lost one
unusual replies
  (late; duplicate; unmatched; unreadable)
    replies that came too late or twice, matched no request, or could not be decoded
fan-out
  (first receiver; median receiver; last receiver; lost-delivery)
    delivery of a message to all receivers of its room, and when the first, half and all of them have it
misordered
  (duplicated; foreign)
    deliveries after a later message of the same client, delivered twice, or from outside this run
slowest messages
    messages at or above the p99, and what they have in common: retries, new connections, waits
by message type
  (by message; by room; by operation; by station)
    the same metrics by message type, room or operation

# Trust in the result
verdict
  (answer)
    whether the measurement can be trusted: VALID, SUSPECT or INVALID, with reasons; rules in docs/verdict.md
valid
  (valid as far as seen; limited checks; valid limited checks)
    no problem was detected. "Limited checks": some checks are not available on this system
suspect
    something may have distorted the values: use them with caution
invalid
    do not use the values: the load was not as planned, or the values contradict each other (exit status 4)
note
  (notes; more notes; warning)
    a remark that does not affect the verdict
next
  (full report)
    a command to try next: it removes a reason of the verdict, or follows from the result
time breakdown
  (ledger; where the clients' time went; connecting; pausing in a flow;
  time breakdown of streams; time breakdown of requests)
    the clients' time by state: awaiting a response, sending, backing off, …
waiting for its turn
  (between operations)
    state of a client: waiting for the schedule, a think time or a CPU; bandwidth: also for the other streams
preparing
    state of a client: making the next operation; bandwidth: generating data, or comparing data that was read
sending
    state of a client: handing a request or message to the operating system
awaiting
    state of a client: the request or message is sent, and its response has not ended
idle at the end
    state of a client that has no operation left to start, or is paused while the other side of a comparison runs
Little's law
  (little)
    a check: mean number in flight = throughput × mean service time
load generator
  (generator; the generator itself; the instrument; instrument)
    resource use of Plimsoll while it generated the load, and what delayed it
CPU
  (target CPU; target's CPU; busiest CPU; machine; other programs; others; cpu_per_operation; cpu_per_gib)
    CPU time of the load generator, of the target where it is known, and of the whole machine
run delay
  (waited for a CPU)
    how long threads of the load generator were ready to run but had no CPU
pauses
  (pause; hiccup; hiccups; did not run; timer wake-up delay)
    times in which the load generator did not run at all; timer wake-up delay: how late a sleeping thread woke
GC pauses
  (garbage collector)
    how long Go's garbage collector stopped the load generator
memory
    peak memory of the load generator
timestamps
  (kernel timestamps; kernel stamps)
    responses with the time at which the kernel received them, not at which the generator read them
pacing
    how the open model waits for the intended start: spin or sleep
clock step
    a jump of the machine's wall clock during the run
interleaved
  (in turn)
    the run alternated with another one, as in a comparison; the values cover its own slices only
invariant
  (invariants; invariant violated; broken invariant)
    a rule that every run must meet, such as scheduled = ok + failed + unsent + unfinished; otherwise it is INVALID
exit status
  (exit; exit code; exit statuses; exit codes)
    0 success, 1 run failed, 2 usage error, 3 threshold missed or worse than before, 4 result cannot be trusted,
    130 interrupted
cannot be evaluated
  (not evaluated)
    a threshold neither met nor missed: too few values, or only generator delay makes the value too high
no result
    no statement is possible, usually because too few runs or values are usable; the report has the reason
not checked
  (not watched; unseen)
    checks of the verdict that are not available on this system
throttled
    time in which the CPU quota of a container or control group stopped the load generator

# Several runs
set
  (member; runs; runs that ended with an error; side by side; operation by operation; unlike in; a; b; files;
  differences; by setting; runs in order)
    the result of a command that makes several runs, and these runs (its members)
sweep
  (level; repeat; order)
    the same test at several settings (levels), repeated in random order
comparison
  (result; plan of a; plan of b; statistical tests; different settings; how a result was reached)
    A and B measured alternately, and whether their difference is significant
launch
  (launches; round; rounds; duet)
    a fresh start of a run, or of both sides of a comparison: the unit of the statistical test
slice
  (slices; interleave; turns)
    a few milliseconds in which one side of a comparison runs, with nothing in flight at its end
not significant
  (none shown; no difference shown; significant)
    a difference that may be chance; a real one may exist, if it is below the smallest change that can be detected
worse
  (better)
    a significant difference in the bad (better: good) direction; of overhead also above a minimum size
inconclusive
  (cannot tell)
    a difference that may be chance; of a probe: disturbed by the load generator or its machine, and repeated
p
  (p-value; p value)
    p-value: the probability of a difference at least as large by chance, if both sides were equal
geomean
  (geometric mean)
    geometric mean: the n-th root of the product of n values, so that each counts by its relative change
interim analysis
  (look; looks; holm; after holm)
    evaluation after part of the launches; p-values are adjusted for all metrics (Holm)
trimmed t
  (p, trimmed t; trimmed mean; p, sign flip; sign flip; sign-flip test)
    two tests of a ratio: by the mean without a fifth at each end, and by random signs
smallest change
  (smallest; smallest detectable)
    the change that a comparison with this noise detects with 90% probability
load line
  (loadline; probe; probes; why probes did not meet the SLO; runs of the probes; got through; probes in order;
  higher values)
    the highest load that meets an SLO, searched by probes: runs at one load each
SLO
    the condition that a capacity search must meet, such as 'p99<50ms,failed<0.1%'
plan file
    a file that describes several runs: 'plimsoll run plan.yaml'
best
  (highest; recommended; scaling; response and service time; highest second and mean;
  the response time of the highest second)
    the lowest setting whose throughput is not significantly below the highest
ending
  (plateau; decline; rising)
    what happens above the best setting: no more throughput, less, failures, or still rising
L
    the limit of operations in flight: clients × operations that each may have
W₁
  (W1; single)
    the time of an operation at the lowest setting, where clients do not wait for each other
efficiency
  (predicted; little's law at each setting; lost efficiency by state)
    throughput ÷ (L ÷ W₁); at 100% clients do not slow each other down
scaling law
  (contention; coherency; universal scalability law; usl; σ; κ; λ; sigma; kappa; lambda)
    throughput = λN ÷ (1 + σ(N−1) + κN(N−1)), with contention σ and coherency κ; omitted if it does not fit

# http
HTTP stages
  (stages; stages of requests; time went)
    a request's time on its connection: send until handed over, wait until the first byte, body until the last
send
    part of a request's time: from its start until all of it is handed to the operating system
body
    part of a request's time: from the first to the last byte of the response; also the content of a message
flow
  (flows; cut)
    requests that depend on each other; the first follows the schedule, each other one the previous response
status
  (statuses; status codes)
    the status code of a response; by default 2xx and 3xx are ok, 4xx and 5xx are failures
check
  (checks; failed checks)
    a condition that every response must meet (--check), or the request failed; also a rule behind the verdict
rule
  (rules that answers broke; rules that responses broke; protocol errors)
    a rule of HTTP that a response violated; the cause is protocol:RULE
rate of a body
  (body rate; quality; transfer rates of bodies)
    bytes of a body ÷ the time in which they were transferred; "ok" and "paced": within 5%
body file
  (files that were sent; body files)
    a body above 1 MiB that each request reads from disk; reading time is generator delay

# ws
protocol
  (preset; codec)
    the messages of a WebSocket service, described in a short file; presets come with Plimsoll
untaken
  (no rule; receive)
    messages that matched no rule of the protocol
delivery
  (deliveries; mark)
    a message as it arrives at a receiver in the room; its mark identifies it
receiver
  (receivers)
    a connection that receives the messages of its room. As the limit of a transfer: the peer read too slowly
heartbeat
  (heartbeats; beats; other traffic; other messages)
    messages that keep a connection alive: requested by the server (heartbeats) or sent by the client (beats)
room
  (rooms)
    a group of clients; a message to a room is delivered to all of them

# bandwidth
upload
  (download; upload summary; download summary; bandwidth; upload bandwidth; download bandwidth)
    bytes per second, from creating the files until they are closed (download: from opening to the last byte)
MB/s
  (MiB/s; Mbit/s)
    1,000,000 bytes per second (MiB/s: 1,048,576; Mbit/s: 1,000,000 bits)
active blocks
    parts of one file in flight or queued; for reads: ranges read in parallel (--active-blocks)
block
  (blocks)
    bytes of one write or read by Plimsoll (--block); in an upload the store's client collects them into parts
part
  (parts)
    bytes of an upload that the store's client sends in one request (--part-size); parts wait in a queue
first block
    mean time from opening a file to the end of its first block
read policy
  (whole-file; whole file; policy; sequential; vector; prefetch)
    how files are read (--policy): whole-file in one request, random by block, vector and prefetch by parallel ranges
stream time
    the time of all streams added up: from opening or creating a file until it is closed; in a breakdown: all of it
waited for the generator
    time in which streams waited for data to be generated or compared, and its share of the stream time
handed off
  (handoff)
    bytes of a body ÷ the time until the last byte was handed to the operating system: an upper bound of the rate
delivered
    bytes of a body ÷ the time until the receiver had all of them; of a fan-out: messages that reached receivers
close()
  (close)
    the end of writing a file: it waits until the store has everything
checksum
    whether the data that was read equals the data that was written
limited by
  (limiting factors)
    the state that took most of the time, and what to try
iteration
  (by iteration)
    one pass of writing, reading and deleting all files
request stages
    a request's time: setup until connected, send until written, wait until the first byte, receive until the last
the store
  (settings; store; applied settings)
    the store under test, and the settings of its client

# overhead
client time
  (client time compared with the baseline; other costs of a call;
  other costs of a call, compared with the baseline)
    the time of a call without the wait for the service: its total cost on the client (column client)
call
  (time breakdown of a call (mean); time breakdown of a call; mean call by stage, compared with the baseline)
    from calling the SDK's operation to its return, or to the end of a streamed response
overhead
    the time of an attempt without the wait for the service
SDK time
    the time of an attempt without its whole round trip: the cost of the SDK itself
round trip
  (definitions)
    from requesting a connection to the end of the response; wait: from the request sent to the first byte
responder
    the demo server of overhead, which always sends the same prepared response
gap
    of a program under test: from the end of a response to the first byte of the next request, measured at the server
connected
    attempts that opened a new connection, whose time is included
median range
    bounds of the median client cost, whatever else the machine did
max error
  (maximum error)
    how far the values of an operation can be off
null client
  (cost per call)
    the same request with Go's net/http alone: the minimum for any SDK
allocations
  (allocs; accuracy; measurement error)
    memory allocations per call, and their bytes
baseline
  (overhead beside the baseline; sdk time beside the baseline; beside the baseline)
    a saved run to compare with
same
    a difference that is certainly too small to matter

# updates
update
  (batch; delta)
    a key with a new value, or a deletion; a batch of them is one message
published
  (publish; publishing)
    acknowledged by the message service
applied
    stored by the server, so that a read returns it
end to end
  (from the send; transit; decode and apply; waiting in the server; reading off the queue; from send;
  stages of a batch; stages of a batch in ms; stages of a batch in µs;
  end-to-end time, from send until applied)
    from the intended start of a batch ("from the send": its actual start) until it is applied
batches due
  (in time; never published; outcome of scheduled batches)
    scheduled batches by outcome: applied within --deadline or late, lost, never published, unknown
servers
  (first server; spread)
    with several servers, end to end is until the last one applies a batch; spread: from the first to the last
reads
  (read after; due until read; resolution; read: response time)
    HTTP reads during the run; "read after": from the intended start of a batch until a read returns it
proof
  (lost; digest; stale; lost batches, by publisher and sequence)
    whether each update arrived exactly once, by counts and a digest of all keys and values
largest rate
  (sustained; behind; search for the largest rate; the runs; other published results)
    the highest rate of batches that the server sustained, found by --max
clocks
    the offset between the clocks of publisher and server, which times between them depend on
`
