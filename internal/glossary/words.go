package glossary

// text is all words, in the order in which they are shown: below the title of a group each word at the margin, then in
// brackets what it explains besides, then what it means.
const text = `
# The load
operation
  (messages; calls; batches; requests; each operation; operations)
    one timed piece of work: a message and its answer, a block, a call, a batch
client
  (clients; user; publisher; stream)
    one simulated user with a connection of its own; it does one operation after the other
target
    the server that is measured
demo
  (demo server)
    a run without a URL, against a server that Plimsoll starts on this machine: a first look, no figure of
    yours
closed model
  (think time; pipeline)
    each client starts its next operation when the last one has ended: a slow target gets less load. Without
    --rate and --stages
open model
  (arrivals; rate; stages)
    operations are due at a rate, whatever the target does, as users come who know nothing of each other. With
    --rate or --stages
intended start
  (due; scheduled)
    the moment at which an operation of the open model should start
warm-up
    what is done before the window, so that caches and connections are ready; it is in no figure of the answer
window
  (measurement window)
    the time in which is measured, after the warm-up and before the drain
drain
    the wait, after the window, for what was under way at its end
phases
  (ramp; connect)
    ramp, warm-up, connect, window and drain, with how long each took
throughput
    operations that ended well in a second of the window
±
  (confidence interval; interval; margin)
    how far a figure may lie from the true one, by this run alone (its 95% confidence interval); others differ by more
plan
    each setting of the run, as it was taken
run
  (run document; environment; host)
    the id of the run, the machine, and where the document is that 'plimsoll report' reads
label
  (labels)
    what you call a run (--label): reports show it, and 'plimsoll runs --label' finds it
until
    the figure that a run went on for until it was known (--until), or why it is not. Its interval is of this run
    alone
threshold
  (thresholds)
    what a figure must be (--threshold): met, missed, or the measurement cannot tell. 'plimsoll help figures'
    has them

# Times
response time
  (times)
    from the moment when an operation was due to its end, all retries in it: what a user waits
service time
    from the real start of an operation to its end; the same as the response time in the closed model
send delay
    from the moment when an operation was due to its real start: the wait for a free client, or for the
    program itself
first attempt
  (attempt)
    the time of the first try of each operation, without what retries add
own delay
  (own start delay; late by it)
    the part of an operation's time that Plimsoll itself caused: by a late start, a gap, an answer that waited
    to be read
free
  (free response time)
    a figure without Plimsoll's own delay
span
    from the free figure to the raw one: the target's true figure lies between them
p50
  (median; percentile)
    the time that half of the operations stay below: the median, what is usual
p90
    the time that 90 in 100 operations stay below; one in ten takes longer
p95
    the time that 95 in 100 operations stay below; one in twenty takes longer
p99
    the time that 99 in 100 operations stay below; one in a hundred takes longer
p99.9
  (p999)
    the time that 999 in 1,000 operations stay below; one in a thousand takes longer
low
  (high)
    the ends of a percentile's 95% confidence interval within this run: where it lies as far as the run itself can say
–
    no figure: there were too few operations for this percentile, above which ten must lie
max
    the longest single time
min
    the shortest single time
mean
  (avg; average)
    all times together, divided by how many there are; a few long ones change it much

# What became of operations
ok
    answered in time, and well
failed
  (failures; failures, retries and connections; why they failed)
    not answered well, after all retries
unsent
    due, and never sent: no client was free, or the run was over
unfinished
    sent, and not answered when the run ended
cause
  (failed attempts by cause; causes)
    why an attempt failed, such as timeout, refused, reset, or closed-by-peer with its code
retry
  (retries; backing off; connections, reconnects and retries)
    another try of an operation, after a pause (backing off)
reconnect
  (reconnects; reconnecting; connections)
    a new connection in the place of one that was lost
unusual replies
  (late; duplicate; unmatched; unreadable)
    answers that came too late, twice, to no question, or could not be read
fan-out
  (first receiver; median receiver; last receiver; lost-delivery)
    a message to all receivers of its room: each of these has it, lost it or is away; and when the first, half
    and all have it
misordered
  (duplicated; foreign)
    deliveries behind a later message of the same client; a second time; of nobody in this run
slowest messages
    those that took the p99 or longer, and what they have in common: retries, new connections, waits
by message type
  (by message; by room; by operation; by station)
    the same figures, for each type of message or room alone

# Whether to believe it
verdict
  (answer)
    whether the figures can be trusted: VALID, SUSPECT or INVALID, with the reasons; docs/verdict.md has the
    rules
valid
  (valid as far as seen)
    nothing was found that puts the figures in doubt (as far as seen: not everything could be watched)
suspect
    believe the figures with care: something that is named may have changed them
invalid
    do not use the figures: the load was not the one that was asked for, or the sums do not agree (exit status
    4)
note
  (notes; more notes; warning)
    something that is worth knowing, and no doubt
ledger
  (where the clients' time went; where the streams' time went; where the requests' time went; awaiting;
  waiting for its turn; preparing; sending; idle at the end; connecting; pausing in a flow)
    where the clients' time went, every second of it in one state: awaiting an answer, sending, backing off …
Little's law
  (little; in flight)
    a check: operations under way = throughput × time; far from each other, one of the three is wrong
generator
  (the generator itself; the instrument; instrument)
    Plimsoll itself as it makes load: what it used of CPU and memory, and what held it up
CPU
  (target's CPU; busiest CPU; machine; others; cpu_per_operation; cpu_per_gib)
    processor time: Plimsoll's, the target's where it can be seen, the machine's (others: neither of the two)
waited for a CPU
  (run delay)
    how long Plimsoll was ready to run, and the system gave it no CPU
gap
  (hiccup; hiccups; did not run)
    a moment in which nothing of Plimsoll ran (hiccups: by how much a sleeper woke late)
GC pauses
  (garbage collector)
    how long Go's garbage collector had all of Plimsoll stand still
memory
    the most memory that Plimsoll took
kernel stamps
    answers whose time is when the system got them, and not when Plimsoll came to read them
pacing
    how the open model waits for the moment at which an operation is due
clock step
    a jump of the machine's clock in the run
in turn
    another run had its turns in between, as in a comparison: all figures are those of this run's slices
not watched
  (unseen)
    what cannot be seen on this system; nothing found is then valid as far as seen
throttled
    held back by the CPU limit of a container or a control group

# Several runs
set
  (member; runs; runs, in the order in which they were made; runs that ended with an error; side by side;
  setting by setting; operation by operation; unlike in; a; b; files)
    what a command that makes several runs leaves: the results, and the runs, its members. Side by side
    describes two
sweep
  (level; repeat; order)
    the same command at several settings (its levels), each several times (its repeats), in random order
comparison
  (result; how it was judged; in what the sides differ; plan of a; plan of b; b to a; none shown)
    two sides measured in turn, again and again: whether B is worse than A, beyond chance
launch
  (launches; round; rounds; duet)
    a run, or both sides of a comparison, started afresh: the unit of what is judged. A round is half a second of
    each side
slice
  (slices; interleave; turns)
    a turn of one side within a launch, of milliseconds, with nothing under way when it ends
look
  (looks; holm; after holm)
    a number of launches after which a comparison is judged, all figures at one chance of a false difference (Holm)
trimmed t
  (p, trimmed t; trimmed mean; p, sign flip; sign flip; sign-flip test; p)
    tests of a ratio: by its mean without a fifth at each end, and by drawing signs. p: the chance of as much
seen from
  (smallest; smallest change)
    the change that a comparison of such noise would have shown nine times in ten
load line
  (loadline; probe; probes; probes, in the order in which they were made; why probes did not meet the SLO;
  runs of the probes; got through)
    the highest load at which an SLO is met, found by probes: runs at one load each, as long as its operations take
SLO
    what the figures of a run must be: 'p99<50ms,failed<0.1%'
plan file
    several runs, as a file: 'plimsoll run plan.yaml'
best
  (highest; recommended; scaling; response and service time; the highest second against the mean)
    the lowest setting whose throughput is as good as the highest, as far as the repeats can tell
ending
  (plateau; decline; rising)
    what more than the best setting brings: no more (a plateau), less (a decline), failures, or not known (rising)
L
    how many operations may be under way at once: clients × those that each may have
W₁
  (W1; single)
    the time that one client takes for an operation, where nobody else is in its way: at the lowest setting
efficiency
  (predicted; where the missing efficiency went; little's law at each setting)
    throughput ÷ (L ÷ W₁): 100% where each client gets as much as one alone. What is missing went to waiting, which
    the ledger tells
scaling law
  (contention; coherency; universal scalability law; usl; σ; κ; λ; sigma; kappa; lambda)
    throughput = λN ÷ (1 + σ(N−1) + κN(N−1)): σ is what waits in line, κ what each costs all others; refused
    where it does not fit

# http
time went
  (stages of requests)
    a request's time with a connection: send until it is handed over, wait to the first byte, body to the last
flow
  (flows; cut; completed)
    requests that follow each other: the first is due by the schedule, each other one when the one before is answered
status
  (statuses)
    the number that an answer begins with: 200 is ok, 4xx is the client's fault, 5xx the server's
check
  (checks that failed)
    what must hold of an answer (--check); an answer for which it does not is a failure
rule
  (rules that answers broke)
    what HTTP says of how an answer is written; one that breaks it cannot be read, and the cause is protocol:RULE
rate of a body
  (rates of single requests; body rate; quality)
    a body's bytes ÷ the time in which they moved (up: until the other side had them); ok and paced are qualities
    of rates within 5%
body file
  (files that were sent; body files)
    a body of more than 1 MiB that each request sends from the disk; the time of reading it is the generator's own

# ws
protocol
  (preset; codec)
    what a WebSocket service speaks, as a file of a few lines says it; a preset is one that Plimsoll brings
untaken
  (no rule; receive)
    messages that came and that no rule of the protocol takes, which says what messages that come mean
delivery
  (deliveries; mark)
    a message that somebody sent, as it comes to those who are in the room; it is known by its mark
heartbeat
  (heartbeats; beats; besides messages and answers)
    what says that a client is still there: asked for by the server (heartbeats), or sent by itself (beats)
room
  (rooms)
    what clients are in together: a message to a room comes to all who are in it

# bandwidth
upload
  (download; upload summary; download summary; bandwidth; upload bandwidth; download bandwidth)
    bytes in a second, from creating the files to the end of closing them (download: from opening to the last
    byte)
MB/s
  (MiB/s; Mbit/s)
    1,000,000 bytes a second (MiB/s: 1,048,576; Mbit/s: 1,000,000 bits)
active blocks
    blocks of one file that are on their way to the store at the same time
block
  (blocks; part; queue)
    what the program writes or reads at once; the store's client sends it in parts, which wait in a queue
close()
  (close)
    the end of writing: it waits until the store has taken all
checksum
    whether what came back is what was written, byte for byte
limited by
  (what limited the run)
    what most of the time went to, and what to try against it
iteration
  (by iteration)
    writing, reading and deleting all files once
request stages
    a request's time: setup until it has a connection, send until it is written, wait to the first byte, receive
    to the last
the store
  (settings; settings that were applied; store)
    what was measured, and the settings that its client took

# overhead
client time
  (client time beside the baseline)
    the time of a call less the wait for the service: all that it costs on the client's side (column client)
call
  (the mean call, in stages; the mean call in stages, beside the baseline)
    from the call of the SDK's operation to its return, or to the end of reading a streamed answer
overhead
    the time of an attempt less the wait for the service: without what comes before the attempt and after it
SDK time
    the time of an attempt less its whole round trip: what the SDK itself costs in it
round trip
  (wait; where the time of an attempt goes; what the figures are)
    from asking for a connection to the end of the answer; the wait in it is from the request being sent to
    the first byte
responder
    the demo server of overhead, which always has the same answer ready
null client
  (cost per call)
    the same request by Go's net/http alone: what no SDK can do without, and what measuring costs
allocations
  (allocs; what else a call costs; what else a call costs, beside the baseline; how far the figures may be off)
    pieces of memory that a call asks for, and their bytes: work for the garbage collector
baseline
  (overhead beside the baseline; sdk time beside the baseline; beside the baseline; worse; better)
    a saved run that this one is compared with; worse or better only where chance is ruled out
cannot tell
    a difference from the baseline that may be chance as well; more calls, or a quieter machine, tell more
same
    a difference from the baseline that is too small to matter, and certain to be

# updates
update
  (batch; delta)
    a key with a new value, or a delete; a batch of them is one message
published
  (publish; publishing)
    taken by the message service, which has said so
applied
    in the server's store, so that a read finds it
end to end
  (from the send; from the schedule on; from the send on; the way of a batch; transit; decode and apply;
  waiting in the server; reading off the queue; what the stages are;
  end to end, from the send until a batch is applied)
    from when a batch was due (from the send: without the send delay) until it is applied; what never arrived is
    later than all
batches due
  (in time; never published; what became of the batches that were due)
    where each batch of the schedule ended: applied within --within of when it was due, or late; lost; never
    published; or unknown
servers
  (first server; spread)
    each of several has to get every batch: end to end goes to the last that applies it, and the spread is from the
    first to it
reads
  (read after; due until read; resolution; read: response time)
    gets over HTTP beside the updates, at a rate of their own; read after: from when a batch was due until one found it
proof
  (lost; digest; stale; lost batches, by publisher and sequence)
    whether each update arrived once: counts of what was published and received, and a digest of all keys and
    values
largest rate
  (sustained; behind; search for the largest rate; the other published figures; the runs)
    the most batches a second that the server kept up with, found by --max
clocks
    how the clocks of publisher and server are related, as times between them need that
`
