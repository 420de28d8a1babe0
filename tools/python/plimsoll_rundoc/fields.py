"""The fields of Plimsoll's documents as types, for editors and type checkers.

Made from the JSON Schemas by generate.py: do not edit it. Names that end in _ns are nanoseconds.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union


class BandwidthDetail(TypedDict, total=False):
    block_bytes: int
    blocks: List[Block]
    blocks_omitted: int
    checksum: Checksum
    csv: SamplesFile
    download: Transfer
    flow: Flow
    iterations: int
    left: List[str]
    limits: List[Limit]
    objects: ObjectsFound
    requests: List[RequestFigures]
    size_bytes: int
    slow: List[SlowRequest]
    store: StoreUsed
    streams: int
    upload: Transfer


class Block(TypedDict, total=False):
    bytes: int
    cause: str
    duration_ns: int
    iteration: int
    operation: str
    start_ns: int
    stream: int
    total: int


class BodyRate(TypedDict, total=False):
    attempts: int
    bytes_per_s: float


class ByteRange(TypedDict, total=False):
    first: int
    last: int


class Cause(TypedDict, total=False):
    cause: str
    count: int


class CauseTime(TypedDict, total=False):
    cause: str
    count: int
    time_ns: int


class ChatDetail(TypedDict, total=False):
    by_room: Optional[List[RoomFigures]]
    fanout: Fanout
    lost: WSLosses
    replies: Replies
    samples: SamplesFile
    tail: MessageTail


class Checksum(TypedDict, total=False):
    algorithm: str
    bytes: int
    mismatch: str
    verdict: str
    wrong: List[ByteRange]
    wrong_blocks: int
    wrong_bytes: int
    wrong_files: int


class Connections(TypedDict, total=False):
    connect_time: Summary
    failed: int
    opened: int
    reconnects: List[CauseTime]


class CoursePoint(TypedDict, total=False):
    client: int
    network: int
    second: int


class DueBatches(TypedDict, total=False):
    batches: int
    in_time: int
    late: int
    lost: int
    max_ns: int
    never_published: int
    p50_ns: int
    p90_ns: int
    p95_ns: int
    p999_ns: int
    p99_ns: int
    unknown: int
    untimed: int
    within_ns: int


class FailureMessage(TypedDict, total=False):
    cause: str
    message: str


class Fanout(TypedDict, total=False):
    absences: int
    away: int
    completed: int
    delivered: int
    due: int
    duplicated: int
    failed: int
    first: Summary
    foreign: int
    kernel_stamped: int
    last: Summary
    late: int
    losers: List[Loser]
    lost: int
    median: Summary
    messages: int
    misordered: int
    nobody: int
    other_room: int
    own_lateness: Summary
    own_stamped: int
    read_late: int
    receivers: int
    receivers_lost: int
    rooms: int
    senders_own: int
    taken: int
    withdrawn: int
    withdrawn_deliveries: int


class Flow(TypedDict, total=False):
    bin_ns: int
    counted: str
    encrypted: bool
    from_ns: int
    longest_look_ns: int
    received: List[int]
    sent: List[int]


class FlowFailure(TypedDict, total=False):
    count: int
    operation: str


class FlowFigures(TypedDict, total=False):
    completed: int
    cut: int
    failed: int
    failed_at: List[FlowFailure]
    name: str
    response_time: Summary
    started: int


class Gap(TypedDict, total=False):
    at_ns: int
    ns: int


class Generator(TypedDict, total=False):
    clock_step_ns: int
    cpu_share: float
    cpu_system_ns: int
    cpu_user_ns: int
    cpus: float
    gc_pause_ns: int
    gc_share: float
    hiccups: Hiccups
    machine_share: float
    max_rss_bytes: int
    own_delay: Summary
    own_delay_p99_ns: int
    own_late: int
    own_time_ns: int
    pacing: str
    processors: List[float]
    response_time_ns: int
    run_delay_ns: int
    send_delay_p99_ns: int
    stamps: Stamps
    throttled_ns: int
    unseen: List[str]


class HTTPAddress(TypedDict, total=False):
    address: str
    connections: int


class HTTPBodies(TypedDict, total=False):
    bodies: int
    by_request: List[HTTPBodies]
    bytes_per_s: float
    limits: Dict[str, int]
    max_bytes_per_s: float
    min_bytes_per_s: float
    name: str
    p10_bytes_per_s: float
    p50_bytes_per_s: float
    p90_bytes_per_s: float
    qualities: Optional[Dict[str, int]]
    rated: int


class HTTPBodyFile(TypedDict, total=False):
    longest_read_ns: int
    name: str
    read_bytes: int
    read_ns: int
    size_bytes: int


class HTTPCheck(TypedDict, total=False):
    check: str
    count: int
    example: str


class HTTPConnecting(TypedDict, total=False):
    addresses: Optional[List[HTTPAddress]]
    lookup: Summary
    more_addresses: int
    proxy: Summary
    tcp: Optional[Summary]
    tls: Summary


class HTTPCookie(TypedDict, total=False):
    count: int
    name: str
    why: str


class HTTPDetail(TypedDict, total=False):
    body_files: List[HTTPBodyFile]
    churned: int
    closed: int
    connecting: HTTPConnecting
    download: HTTPBodies
    failed_checks: List[HTTPCheck]
    found: List[HTTPFound]
    left_out: List[HTTPLeftOut]
    protocol: str
    received_bytes: int
    redirects: int
    refused_cookies: List[HTTPCookie]
    replaced_cookies: List[HTTPCookie]
    resent: int
    samples: SamplesFile
    sent_bytes: int
    spread_ns: int
    statuses: Optional[List[HTTPStatus]]
    stream_limit: int
    tokens: HTTPTokens
    upload: HTTPBodies


class HTTPFound(TypedDict, total=False):
    cause: str
    what: str


class HTTPLeftOut(TypedDict, total=False):
    count: int
    what: str


class HTTPStatus(TypedDict, total=False):
    count: int
    status: int


class HTTPTokens(TypedDict, total=False):
    failed: int
    fetched: int
    last_failure: str


class Hiccups(TypedDict, total=False):
    gaps: int
    gaps_ns: int
    lateness: Summary
    long: int
    long_ns: int
    longest: List[Gap]


class Host(TypedDict, total=False):
    arch: str
    cpu: str
    cpus: int
    kernel: str
    os: str


class InTurn(TypedDict, total=False):
    held_ns: int
    slices: int


class Interval(TypedDict, total=False):
    effective: float
    high_ns: int
    low_ns: int


class Intervals(TypedDict, total=False):
    mean: Interval
    p50: Interval
    p90: Interval
    p95: Interval
    p99: Interval
    p999: Interval


class IterationFigure(TypedDict, total=False):
    bytes: int
    duration_ns: int
    from_ns: int


class Ledger(TypedDict, total=False):
    clients: int
    max_clients: int
    states: Optional[Dict[str, int]]
    window_ns: int


class Limit(TypedDict, total=False):
    by: str
    probes: int


class Little(TypedDict, total=False):
    difference: float
    dropped: int
    in_flight_predicted: float
    in_flight_sampled: float
    samples: int
    slots: int
    variance: float


class Loser(TypedDict, total=False):
    away: int
    lost: int
    receiver: int


class LostSpan(TypedDict, total=False):
    first: int
    last: int
    publisher: int


class Manifest(TypedDict, total=False):
    batches: int
    digest: str
    live: int
    publishers: Optional[List[Published]]
    refused: int
    run: str
    unknown: int
    updates: int


class MessageTail(TypedDict, total=False):
    from_ns: int
    messages: int
    other: int
    own_delay: int
    reconnected: int
    retried: int
    waited: int


class NamedStage(TypedDict, total=False):
    name: str
    negative: int
    negative_min_ns: int
    summary: Summary


class ObjectsFound(TypedDict, total=False):
    empty: int
    listed: int
    listed_bytes: int
    more: bool
    read: int
    read_bytes: int
    read_sizes: Sizes
    sizes: Sizes


class Operation(TypedDict, total=False):
    attempts: int
    bytes: int
    bytes_per_s: float
    carried: int
    causes: List[Cause]
    failed: int
    first_attempt: Summary
    labels: Dict[str, str]
    name: str
    ok: int
    rate_per_s: float
    response_time: Summary
    retries: int
    scheduled: int
    send_delay: Summary
    service_time: Summary
    stages: Stages
    unfinished: int
    unsent: int


class OverheadBaseline(TypedDict, total=False):
    compared: Optional[List[OverheadCompared]]
    min_effect: float
    notes: List[str]
    null: OverheadRow
    null_compared: OverheadCompared
    rows: Optional[List[OverheadRow]]
    run: str
    started: str
    unlike: List[str]


class OverheadCompared(TypedDict, total=False):
    before_ns: float
    difference_high_ns: float
    difference_low_ns: float
    figure: str
    now_ns: float
    operation: str
    outcome: str
    p: float
    service: str
    why: str


class OverheadDetail(TypedDict, total=False):
    baseline: OverheadBaseline
    command: str
    command_whole: bool
    environment: OverheadEnvironment
    mode: str
    notes: List[str]
    null: OverheadRow
    rows: Optional[List[OverheadRow]]
    unmeasured: List[str]


class OverheadEnvironment(TypedDict, total=False):
    calls: int
    concurrency: int
    embedded: bool
    endpoint: str
    latency_ns: int
    modules: Optional[List[str]]
    protocol: str
    sdk: str
    time_ns: int
    tls: bool
    warmup_ns: int


class OverheadRow(TypedDict, total=False):
    allocations_per_call: float
    bytes_per_call: float
    call: Sample
    client_time: Sample
    connections: int
    cpu_per_call_ns: float
    error_ns: int
    failed: int
    median_from_ns: float
    median_to_ns: float
    operation: str
    overhead: Sample
    resent: int
    sdk_time: Sample
    service: str
    staged_call_ns: float
    staged_calls: int
    stages: Dict[str, float]
    unseen: int
    waited_ns: float


class Phase(TypedDict, total=False):
    duration_ns: int
    mean_ns: int
    name: str
    ok: int
    operations: int
    rate_per_s: float
    started: str


class Point(TypedDict, total=False):
    bytes: int
    causes: List[Cause]
    failed: int
    gap_ns: int
    in_flight: float
    offered: int
    ok: int
    own_p99_ns: int
    p50_ns: int
    p99_ns: int
    second: int
    seconds: int


class Proof(TypedDict, total=False):
    applied: int
    complete: bool
    duplicates: int
    expected: StateSum
    foreign: int
    found: StateSum
    interrupted: bool
    lost: int
    lost_spans: List[LostSpan]
    partial: int
    problems: List[str]
    published: int
    received: int
    restarted: bool
    stale: int
    state_known: bool
    undrained: int
    unknown: bool
    unreadable: int
    unsure: int
    updates: int


class Published(TypedDict, total=False):
    arrived: List[int]
    next: int
    publisher: int
    unsure: List[int]
    unused: List[SequenceSpan]


class ReadBatches(TypedDict, total=False):
    batches: int
    resolution: UpdateStage
    seen: int
    times: UpdateStage
    unwatched: int
    wrong: int


class Replies(TypedDict, total=False):
    duplicate: int
    example: str
    late: int
    reordered: int
    unmatched: int
    unreadable: int


class RequestFigures(TypedDict, total=False):
    attempts: int
    bytes_received: int
    bytes_sent: int
    causes: List[Cause]
    connections: int
    failed: int
    limits: Dict[str, int]
    name: str
    paused_ns: int
    qualities: Dict[str, int]
    read_throughput: BodyRate
    receive_ns: int
    retries: int
    send_ns: int
    setup_ns: int
    slowest_ns: int
    stages: RequestStages
    total_ns: int
    wait_ns: int
    write_throughput_delivered: BodyRate
    write_throughput_handoff: BodyRate


class RequestStages(TypedDict, total=False):
    receive: Summary
    send: Summary
    setup: Summary
    wait: Summary
    whole: Summary


class RoomFigures(TypedDict, total=False):
    failed: int
    mean_ns: int
    ok: int
    p50_ns: int
    p99_ns: int
    rate_per_s: float
    room: str
    times: int


class Sample(TypedDict, total=False):
    avg_ns: float
    max_ns: float
    med_ns: float
    min_ns: float
    n: int
    p90_ns: float
    p99_ns: float
    rounds: List[int]
    values_ns: List[int]


class SamplesFile(TypedDict, total=False):
    error: str
    lost: int
    path: str
    written: int


class SequenceSpan(TypedDict, total=False):
    first: int
    last: int


class Setting(TypedDict, total=False):
    name: str
    source: str
    value: str


class Sizes(TypedDict, total=False):
    max: int
    median: int
    min: int


class Slice(TypedDict, total=False):
    from_s: int
    response_time: SliceTimes
    seconds: int


class SliceTimes(TypedDict, total=False):
    count: int
    hdr: str


class SlowRequest(TypedDict, total=False):
    duration_ns: int
    failed: bool
    from_ns: int
    median_ns: int
    name: str
    of: str


class Stages(TypedDict, total=False):
    body: Summary
    send: Summary
    wait: Summary


class Stamps(TypedDict, total=False):
    missing: int
    refused: int
    used: int


class Standstill(TypedDict, total=False):
    all_ns: int
    duration_ns: int
    from_ns: int


class StateSum(TypedDict, total=False):
    digest: str
    live: int


class SteadyPart(TypedDict, total=False):
    bytes: int
    duration_ns: int
    from_ns: int


class StoreUsed(TypedDict, total=False):
    active_parts: int
    at_once: int
    client: str
    data: str
    endpoint: str
    ignored: List[str]
    integrity: str
    limit_bytes_per_s: int
    notes: List[str]
    part_bytes: int
    policy: str
    settings: List[Setting]


class Summary(TypedDict, total=False):
    count: int
    free: Summary
    hdr: str
    intervals: Intervals
    max_ns: int
    mean_ns: int
    min_ns: int
    p50_ns: int
    p90_ns: int
    p95_ns: int
    p999_ns: int
    p99_ns: int
    stddev_ns: int


class Target(TypedDict, total=False):
    cpu_system_ns: int
    cpu_user_ns: int
    embedded: bool
    same_host: bool
    url: str


class Threshold(TypedDict, total=False):
    checked: float
    checked_free: float
    free: float
    limit: float
    met: bool
    strict: bool
    threshold: str
    unit: str
    value: float
    why: str


class Tool(TypedDict, total=False):
    commit: str
    go: str
    version: str


class Totals(TypedDict, total=False):
    attempts: int
    bytes: int
    bytes_per_s: float
    carried: int
    causes: List[Cause]
    failed: int
    first_attempt: Summary
    ok: int
    rate_per_s: float
    response_time: Summary
    retries: int
    scheduled: int
    send_delay: Summary
    service_time: Summary
    unfinished: int
    unsent: int


class Transfer(TypedDict, total=False):
    block: Summary
    block_with_close_ns: int
    bytes: int
    bytes_per_s: float
    close: Summary
    close_share: float
    course: List[CoursePoint]
    data_ns: int
    duration_ns: int
    failed: int
    files: int
    first_block_ns: int
    iterations: List[IterationFigure]
    open: Summary
    reopen_causes: List[Cause]
    reopened: int
    standstill: Standstill
    steady: SteadyPart
    taken_out_ns: int


class Until(TypedDict, total=False):
    figure: str
    high: float
    known: bool
    low: float
    most_ns: int
    not_steady: bool
    takes_ns: int
    unit: str
    value: float
    warmup_not_steady: bool
    warmup_ns: int
    why: str
    within: float


class UpdateClock(TypedDict, total=False):
    bound_ns: int
    drift_ns: int
    offset_ns: int
    shared: bool


class UpdateReads(TypedDict, total=False):
    batches: ReadBatches
    keys: str
    keys_asked: int
    keys_found: int
    operation: Operation
    rate_per_s: float
    readers: int
    series: List[Point]


class UpdateSecond(TypedDict, total=False):
    applied: int
    batches: int
    e2e_max_ns: int
    e2e_p50_ns: int
    e2e_p99_ns: int
    second: int
    stale: int


class UpdateServer(TypedDict, total=False):
    applied_per_s: float
    backlog_ns: int
    clock: UpdateClock
    digest: str
    due: DueBatches
    first: int
    last: int
    listeners: int
    live: int
    messages: int
    no_clock: int
    proof: Optional[Proof]
    receive: int
    receives: int
    server_series: List[UpdateSecond]
    stages: Optional[List[NamedStage]]
    url: str


class UpdateSpread(TypedDict, total=False):
    batches: int
    bound_ns: int
    untold: int


class UpdateStage(TypedDict, total=False):
    negative: int
    negative_min_ns: int
    summary: Summary


class UpdateTrial(TypedDict, total=False):
    applied_per_s: float
    backlog_ns: int
    e2e_p99_ns: int
    interrupted: bool
    rate_per_s: float
    sustained: bool
    why: str


class UpdatesDetail(TypedDict, total=False):
    applied_per_s: float
    at_least_once: bool
    backlog_ns: int
    batch: int
    client: str
    clock: UpdateClock
    due: DueBatches
    failures: List[FailureMessage]
    listeners: int
    manifest: Manifest
    message_bytes: int
    messages: int
    no_clock: int
    notes: List[str]
    proof: Proof
    publishers: int
    reads: UpdateReads
    receive: int
    receives: int
    samples: SamplesFile
    search: List[UpdateTrial]
    server: str
    server_series: List[UpdateSecond]
    servers: List[UpdateServer]
    spread: UpdateSpread
    stages: Optional[List[NamedStage]]
    transport: str


class Verdict(TypedDict, total=False):
    reasons: List[str]
    rules: int
    unseen: List[str]
    validity: str


class WSDetail(TypedDict, total=False):
    beats: int
    by_room: List[RoomFigures]
    deliveries: int
    fanout: Fanout
    heartbeats: int
    lost: WSLosses
    protocol: WSProtocol
    replies: Replies
    samples: SamplesFile
    tail: MessageTail
    untaken: int
    untaken_example: str


class WSLoss(TypedDict, total=False):
    cause: str
    count: int
    what: str


class WSLosses(TypedDict, total=False):
    more: int
    texts: Optional[List[WSLoss]]


class WSProtocol(TypedDict, total=False):
    codec: str
    name: str
    preset: bool


class Warning(TypedDict, total=False):
    code: str
    message: str


class RunDocument(TypedDict, total=False):
    aborted: str
    connections: Connections
    definitions: Dict[str, int]
    detail: Union[BandwidthDetail, ChatDetail, HTTPDetail, OverheadDetail, UpdatesDetail, WSDetail, Dict[str, Any]]
    ended: str
    error: str
    exit: int
    flows: List[FlowFigures]
    generator: Generator
    host: Host
    id: str
    in_turn: InTurn
    interrupted: bool
    labels: List[str]
    ledger: Ledger
    little: Little
    operations: List[Operation]
    phases: List[Phase]
    plan: Any
    retries: List[CauseTime]
    schema: str
    series: List[Point]
    slices: List[Slice]
    started: str
    target: Target
    thresholds: List[Threshold]
    tool: Tool
    totals: Totals
    until: Until
    verdict: Verdict
    warnings: List[Warning]
    workload: str


class Base(TypedDict, total=False):
    level: int
    single: bool
    w1_ns: float


class CauseCount(TypedDict, total=False):
    cause: str
    count: int


class Compared(TypedDict, total=False):
    info: bool
    less_is_better: bool
    name: str
    of: str
    unit: str


class Comparison(TypedDict, total=False):
    alphas: List[float]
    busy_limit: float
    decided: str
    doubts: List[str]
    dropped: int
    figures: List[Compared]
    judged: int
    launches: List[Launch]
    left_out: List[str]
    looks: List[int]
    min_effect: float
    round_ns: int
    rounds: Rounds
    rows: List[Contrast]
    rules: int
    seed: int
    sides: List[Side]
    way: str
    workload: str


class Contrast(TypedDict, total=False):
    a: float
    absent: str
    b: float
    figure: int
    high: float
    holm_p: float
    launches: int
    low: float
    outcome: str
    p: float
    ratio: float
    sign_flip_p: float
    smallest: float


class Estimate(TypedDict, total=False):
    high: float
    low: float
    value: float


class Figure(TypedDict, total=False):
    name: str
    of: str
    unit: str


class Goal(TypedDict, total=False):
    expr: str
    figure: str
    limit: float
    unit: str


class Known(TypedDict, total=False):
    launches: int
    merged: bool
    of: int
    value: float
    why: str


class Launch(TypedDict, total=False):
    dropped: bool
    first: int
    lost: str
    members: List[str]
    others: float
    rounds: List[float]
    slice_ns: int
    slices: int
    values: List[List[Known]]


class Launches(TypedDict, total=False):
    figure: Figure
    interval: List[float]
    known: bool
    least: int
    median: float
    most: int
    rules: int
    values: List[Known]
    why: str
    within: float
    workload: str


class Level(TypedDict, total=False):
    causes: List[CauseCount]
    clients: float
    connections_failed: int
    connections_opened: int
    efficiency: float
    failed: int
    failed_share: float
    in_flight_predicted: float
    in_flight_sampled: float
    little_difference: float
    load: float
    lost: int
    missing: List[MissingShare]
    offered_per_s: float
    ok: int
    peak_second: float
    predicted: float
    reconnects: int
    response_p50_ns: int
    response_p99_ns: int
    retries: int
    runs: int
    scheduled: int
    service_mean_ns: int
    service_p50_ns: int
    service_p99_ns: int
    shares: Dict[str, float]
    throughput: float
    throughput_interval: List[float]
    validity: str
    values: Optional[List[str]]


class Loadline(TypedDict, total=False):
    doubts: List[str]
    drift: List[int]
    ending: str
    highest: float
    interval: List[float]
    limits: List[Limit]
    load: float
    longest_ns: int
    lowest: float
    max_time_ns: int
    most: int
    probes: List[Probe]
    processors: str
    rules: int
    slo: List[Goal]
    spread: float
    start: float
    time_up: bool
    unit: str
    vary: str
    whole: bool
    why: str
    within: float
    workload: str


class Member(TypedDict, total=False):
    aborted: str
    error: str
    exit: int
    id: str
    name: str
    p99_ns: int
    path: str
    rate_per_s: float
    repeat: int
    result: str
    settings: Dict[str, str]
    started: str
    target: str
    thresholds: List[Threshold]
    verdict: Verdict
    workload: str


class MissingShare(TypedDict, total=False):
    share: float
    state: str


class Probe(TypedDict, total=False):
    generator: bool
    length_ns: int
    load: float
    member: str
    missed: List[str]
    p99_ns: int
    rate: float
    result: str
    slots_used: float
    values: List[Known]
    why: str


class Rounds(TypedDict, total=False):
    count: int
    length_ns: int
    stddev: float


class Row(TypedDict, total=False):
    causes: List[CauseCount]
    clients: float
    connections_failed: int
    connections_opened: int
    failed: int
    in_flight_predicted: float
    in_flight_sampled: float
    member: str
    offered_per_s: float
    ok: int
    peak_second: float
    reasons: List[str]
    reconnects: int
    repeat: int
    response_mean_ns: int
    response_p50_ns: int
    response_p99_ns: int
    retries: int
    service_mean_ns: int
    service_p50_ns: int
    service_p99_ns: int
    states: Dict[str, int]
    throughput: float
    unfinished: int
    unsent: int
    validity: str
    values: Optional[List[str]]
    window_ns: int


Scaling = TypedDict("Scaling", {"kappa": "Estimate", "lack_of_fit_p": "float", "lambda": "Estimate", "no_peak": "str", "peak": "Estimate", "refused": "str", "sigma": "Estimate", "spread": "float"}, total=False)


class Side(TypedDict, total=False):
    command: str
    name: str
    plan: Any
    target: str


class Sweep(TypedDict, total=False):
    base: Base
    best: int
    doubts: List[str]
    ending: str
    fails_from: int
    levels: List[Level]
    order: List[int]
    peak: int
    recommended: str
    repeats: int
    rows: List[Row]
    rules: int
    scaling: Scaling
    seed: int
    throughput: Figure
    vary: List[Vary]
    workload: str


class Vary(TypedDict, total=False):
    concurrency: bool
    numeric: bool
    setting: str
    size: bool
    values: Optional[List[str]]


class SetDocument(TypedDict, total=False):
    comparison: Comparison
    ended: str
    error: str
    exit: int
    host: Host
    id: str
    interrupted: bool
    kind: str
    labels: List[str]
    launches: Launches
    loadline: Loadline
    members: List[Member]
    plan: Any
    planned: int
    schema: str
    started: str
    sweep: Sweep
    tool: Tool
    verdict: Verdict


# The definition of the objects in each field, by its name, behind * where they are in one more; None: there are none.
FIELDS = {
    "BandwidthDetail": {
        "block_bytes": None,
        "blocks": 'Block',
        "blocks_omitted": None,
        "checksum": 'Checksum',
        "csv": 'SamplesFile',
        "download": 'Transfer',
        "flow": 'Flow',
        "iterations": None,
        "left": None,
        "limits": 'Limit',
        "objects": 'ObjectsFound',
        "requests": 'RequestFigures',
        "size_bytes": None,
        "slow": 'SlowRequest',
        "store": 'StoreUsed',
        "streams": None,
        "upload": 'Transfer',
    },
    "Block": {
        "bytes": None,
        "cause": None,
        "duration_ns": None,
        "iteration": None,
        "operation": None,
        "start_ns": None,
        "stream": None,
        "total": None,
    },
    "BodyRate": {
        "attempts": None,
        "bytes_per_s": None,
    },
    "ByteRange": {
        "first": None,
        "last": None,
    },
    "Cause": {
        "cause": None,
        "count": None,
    },
    "CauseTime": {
        "cause": None,
        "count": None,
        "time_ns": None,
    },
    "ChatDetail": {
        "by_room": 'RoomFigures',
        "fanout": 'Fanout',
        "lost": 'WSLosses',
        "replies": 'Replies',
        "samples": 'SamplesFile',
        "tail": 'MessageTail',
    },
    "Checksum": {
        "algorithm": None,
        "bytes": None,
        "mismatch": None,
        "verdict": None,
        "wrong": 'ByteRange',
        "wrong_blocks": None,
        "wrong_bytes": None,
        "wrong_files": None,
    },
    "Connections": {
        "connect_time": 'Summary',
        "failed": None,
        "opened": None,
        "reconnects": 'CauseTime',
    },
    "CoursePoint": {
        "client": None,
        "network": None,
        "second": None,
    },
    "DueBatches": {
        "batches": None,
        "in_time": None,
        "late": None,
        "lost": None,
        "max_ns": None,
        "never_published": None,
        "p50_ns": None,
        "p90_ns": None,
        "p95_ns": None,
        "p999_ns": None,
        "p99_ns": None,
        "unknown": None,
        "untimed": None,
        "within_ns": None,
    },
    "FailureMessage": {
        "cause": None,
        "message": None,
    },
    "Fanout": {
        "absences": None,
        "away": None,
        "completed": None,
        "delivered": None,
        "due": None,
        "duplicated": None,
        "failed": None,
        "first": 'Summary',
        "foreign": None,
        "kernel_stamped": None,
        "last": 'Summary',
        "late": None,
        "losers": 'Loser',
        "lost": None,
        "median": 'Summary',
        "messages": None,
        "misordered": None,
        "nobody": None,
        "other_room": None,
        "own_lateness": 'Summary',
        "own_stamped": None,
        "read_late": None,
        "receivers": None,
        "receivers_lost": None,
        "rooms": None,
        "senders_own": None,
        "taken": None,
        "withdrawn": None,
        "withdrawn_deliveries": None,
    },
    "Flow": {
        "bin_ns": None,
        "counted": None,
        "encrypted": None,
        "from_ns": None,
        "longest_look_ns": None,
        "received": None,
        "sent": None,
    },
    "FlowFailure": {
        "count": None,
        "operation": None,
    },
    "FlowFigures": {
        "completed": None,
        "cut": None,
        "failed": None,
        "failed_at": 'FlowFailure',
        "name": None,
        "response_time": 'Summary',
        "started": None,
    },
    "Gap": {
        "at_ns": None,
        "ns": None,
    },
    "Generator": {
        "clock_step_ns": None,
        "cpu_share": None,
        "cpu_system_ns": None,
        "cpu_user_ns": None,
        "cpus": None,
        "gc_pause_ns": None,
        "gc_share": None,
        "hiccups": 'Hiccups',
        "machine_share": None,
        "max_rss_bytes": None,
        "own_delay": 'Summary',
        "own_delay_p99_ns": None,
        "own_late": None,
        "own_time_ns": None,
        "pacing": None,
        "processors": None,
        "response_time_ns": None,
        "run_delay_ns": None,
        "send_delay_p99_ns": None,
        "stamps": 'Stamps',
        "throttled_ns": None,
        "unseen": None,
    },
    "HTTPAddress": {
        "address": None,
        "connections": None,
    },
    "HTTPBodies": {
        "bodies": None,
        "by_request": 'HTTPBodies',
        "bytes_per_s": None,
        "limits": None,
        "max_bytes_per_s": None,
        "min_bytes_per_s": None,
        "name": None,
        "p10_bytes_per_s": None,
        "p50_bytes_per_s": None,
        "p90_bytes_per_s": None,
        "qualities": None,
        "rated": None,
    },
    "HTTPBodyFile": {
        "longest_read_ns": None,
        "name": None,
        "read_bytes": None,
        "read_ns": None,
        "size_bytes": None,
    },
    "HTTPCheck": {
        "check": None,
        "count": None,
        "example": None,
    },
    "HTTPConnecting": {
        "addresses": 'HTTPAddress',
        "lookup": 'Summary',
        "more_addresses": None,
        "proxy": 'Summary',
        "tcp": 'Summary',
        "tls": 'Summary',
    },
    "HTTPCookie": {
        "count": None,
        "name": None,
        "why": None,
    },
    "HTTPDetail": {
        "body_files": 'HTTPBodyFile',
        "churned": None,
        "closed": None,
        "connecting": 'HTTPConnecting',
        "download": 'HTTPBodies',
        "failed_checks": 'HTTPCheck',
        "found": 'HTTPFound',
        "left_out": 'HTTPLeftOut',
        "protocol": None,
        "received_bytes": None,
        "redirects": None,
        "refused_cookies": 'HTTPCookie',
        "replaced_cookies": 'HTTPCookie',
        "resent": None,
        "samples": 'SamplesFile',
        "sent_bytes": None,
        "spread_ns": None,
        "statuses": 'HTTPStatus',
        "stream_limit": None,
        "tokens": 'HTTPTokens',
        "upload": 'HTTPBodies',
    },
    "HTTPFound": {
        "cause": None,
        "what": None,
    },
    "HTTPLeftOut": {
        "count": None,
        "what": None,
    },
    "HTTPStatus": {
        "count": None,
        "status": None,
    },
    "HTTPTokens": {
        "failed": None,
        "fetched": None,
        "last_failure": None,
    },
    "Hiccups": {
        "gaps": None,
        "gaps_ns": None,
        "lateness": 'Summary',
        "long": None,
        "long_ns": None,
        "longest": 'Gap',
    },
    "Host": {
        "arch": None,
        "cpu": None,
        "cpus": None,
        "kernel": None,
        "os": None,
    },
    "InTurn": {
        "held_ns": None,
        "slices": None,
    },
    "Interval": {
        "effective": None,
        "high_ns": None,
        "low_ns": None,
    },
    "Intervals": {
        "mean": 'Interval',
        "p50": 'Interval',
        "p90": 'Interval',
        "p95": 'Interval',
        "p99": 'Interval',
        "p999": 'Interval',
    },
    "IterationFigure": {
        "bytes": None,
        "duration_ns": None,
        "from_ns": None,
    },
    "Ledger": {
        "clients": None,
        "max_clients": None,
        "states": None,
        "window_ns": None,
    },
    "Limit": {
        "by": None,
        "probes": None,
    },
    "Little": {
        "difference": None,
        "dropped": None,
        "in_flight_predicted": None,
        "in_flight_sampled": None,
        "samples": None,
        "slots": None,
        "variance": None,
    },
    "Loser": {
        "away": None,
        "lost": None,
        "receiver": None,
    },
    "LostSpan": {
        "first": None,
        "last": None,
        "publisher": None,
    },
    "Manifest": {
        "batches": None,
        "digest": None,
        "live": None,
        "publishers": 'Published',
        "refused": None,
        "run": None,
        "unknown": None,
        "updates": None,
    },
    "MessageTail": {
        "from_ns": None,
        "messages": None,
        "other": None,
        "own_delay": None,
        "reconnected": None,
        "retried": None,
        "waited": None,
    },
    "NamedStage": {
        "name": None,
        "negative": None,
        "negative_min_ns": None,
        "summary": 'Summary',
    },
    "ObjectsFound": {
        "empty": None,
        "listed": None,
        "listed_bytes": None,
        "more": None,
        "read": None,
        "read_bytes": None,
        "read_sizes": 'Sizes',
        "sizes": 'Sizes',
    },
    "Operation": {
        "attempts": None,
        "bytes": None,
        "bytes_per_s": None,
        "carried": None,
        "causes": 'Cause',
        "failed": None,
        "first_attempt": 'Summary',
        "labels": None,
        "name": None,
        "ok": None,
        "rate_per_s": None,
        "response_time": 'Summary',
        "retries": None,
        "scheduled": None,
        "send_delay": 'Summary',
        "service_time": 'Summary',
        "stages": 'Stages',
        "unfinished": None,
        "unsent": None,
    },
    "OverheadBaseline": {
        "compared": 'OverheadCompared',
        "min_effect": None,
        "notes": None,
        "null": 'OverheadRow',
        "null_compared": 'OverheadCompared',
        "rows": 'OverheadRow',
        "run": None,
        "started": None,
        "unlike": None,
    },
    "OverheadCompared": {
        "before_ns": None,
        "difference_high_ns": None,
        "difference_low_ns": None,
        "figure": None,
        "now_ns": None,
        "operation": None,
        "outcome": None,
        "p": None,
        "service": None,
        "why": None,
    },
    "OverheadDetail": {
        "baseline": 'OverheadBaseline',
        "command": None,
        "command_whole": None,
        "environment": 'OverheadEnvironment',
        "mode": None,
        "notes": None,
        "null": 'OverheadRow',
        "rows": 'OverheadRow',
        "unmeasured": None,
    },
    "OverheadEnvironment": {
        "calls": None,
        "concurrency": None,
        "embedded": None,
        "endpoint": None,
        "latency_ns": None,
        "modules": None,
        "protocol": None,
        "sdk": None,
        "time_ns": None,
        "tls": None,
        "warmup_ns": None,
    },
    "OverheadRow": {
        "allocations_per_call": None,
        "bytes_per_call": None,
        "call": 'Sample',
        "client_time": 'Sample',
        "connections": None,
        "cpu_per_call_ns": None,
        "error_ns": None,
        "failed": None,
        "median_from_ns": None,
        "median_to_ns": None,
        "operation": None,
        "overhead": 'Sample',
        "resent": None,
        "sdk_time": 'Sample',
        "service": None,
        "staged_call_ns": None,
        "staged_calls": None,
        "stages": None,
        "unseen": None,
        "waited_ns": None,
    },
    "Phase": {
        "duration_ns": None,
        "mean_ns": None,
        "name": None,
        "ok": None,
        "operations": None,
        "rate_per_s": None,
        "started": None,
    },
    "Point": {
        "bytes": None,
        "causes": 'Cause',
        "failed": None,
        "gap_ns": None,
        "in_flight": None,
        "offered": None,
        "ok": None,
        "own_p99_ns": None,
        "p50_ns": None,
        "p99_ns": None,
        "second": None,
        "seconds": None,
    },
    "Proof": {
        "applied": None,
        "complete": None,
        "duplicates": None,
        "expected": 'StateSum',
        "foreign": None,
        "found": 'StateSum',
        "interrupted": None,
        "lost": None,
        "lost_spans": 'LostSpan',
        "partial": None,
        "problems": None,
        "published": None,
        "received": None,
        "restarted": None,
        "stale": None,
        "state_known": None,
        "undrained": None,
        "unknown": None,
        "unreadable": None,
        "unsure": None,
        "updates": None,
    },
    "Published": {
        "arrived": None,
        "next": None,
        "publisher": None,
        "unsure": None,
        "unused": 'SequenceSpan',
    },
    "ReadBatches": {
        "batches": None,
        "resolution": 'UpdateStage',
        "seen": None,
        "times": 'UpdateStage',
        "unwatched": None,
        "wrong": None,
    },
    "Replies": {
        "duplicate": None,
        "example": None,
        "late": None,
        "reordered": None,
        "unmatched": None,
        "unreadable": None,
    },
    "RequestFigures": {
        "attempts": None,
        "bytes_received": None,
        "bytes_sent": None,
        "causes": 'Cause',
        "connections": None,
        "failed": None,
        "limits": None,
        "name": None,
        "paused_ns": None,
        "qualities": None,
        "read_throughput": 'BodyRate',
        "receive_ns": None,
        "retries": None,
        "send_ns": None,
        "setup_ns": None,
        "slowest_ns": None,
        "stages": 'RequestStages',
        "total_ns": None,
        "wait_ns": None,
        "write_throughput_delivered": 'BodyRate',
        "write_throughput_handoff": 'BodyRate',
    },
    "RequestStages": {
        "receive": 'Summary',
        "send": 'Summary',
        "setup": 'Summary',
        "wait": 'Summary',
        "whole": 'Summary',
    },
    "RoomFigures": {
        "failed": None,
        "mean_ns": None,
        "ok": None,
        "p50_ns": None,
        "p99_ns": None,
        "rate_per_s": None,
        "room": None,
        "times": None,
    },
    "Sample": {
        "avg_ns": None,
        "max_ns": None,
        "med_ns": None,
        "min_ns": None,
        "n": None,
        "p90_ns": None,
        "p99_ns": None,
        "rounds": None,
        "values_ns": None,
    },
    "SamplesFile": {
        "error": None,
        "lost": None,
        "path": None,
        "written": None,
    },
    "SequenceSpan": {
        "first": None,
        "last": None,
    },
    "Setting": {
        "name": None,
        "source": None,
        "value": None,
    },
    "Sizes": {
        "max": None,
        "median": None,
        "min": None,
    },
    "Slice": {
        "from_s": None,
        "response_time": 'SliceTimes',
        "seconds": None,
    },
    "SliceTimes": {
        "count": None,
        "hdr": None,
    },
    "SlowRequest": {
        "duration_ns": None,
        "failed": None,
        "from_ns": None,
        "median_ns": None,
        "name": None,
        "of": None,
    },
    "Stages": {
        "body": 'Summary',
        "send": 'Summary',
        "wait": 'Summary',
    },
    "Stamps": {
        "missing": None,
        "refused": None,
        "used": None,
    },
    "Standstill": {
        "all_ns": None,
        "duration_ns": None,
        "from_ns": None,
    },
    "StateSum": {
        "digest": None,
        "live": None,
    },
    "SteadyPart": {
        "bytes": None,
        "duration_ns": None,
        "from_ns": None,
    },
    "StoreUsed": {
        "active_parts": None,
        "at_once": None,
        "client": None,
        "data": None,
        "endpoint": None,
        "ignored": None,
        "integrity": None,
        "limit_bytes_per_s": None,
        "notes": None,
        "part_bytes": None,
        "policy": None,
        "settings": 'Setting',
    },
    "Summary": {
        "count": None,
        "free": 'Summary',
        "hdr": None,
        "intervals": 'Intervals',
        "max_ns": None,
        "mean_ns": None,
        "min_ns": None,
        "p50_ns": None,
        "p90_ns": None,
        "p95_ns": None,
        "p999_ns": None,
        "p99_ns": None,
        "stddev_ns": None,
    },
    "Target": {
        "cpu_system_ns": None,
        "cpu_user_ns": None,
        "embedded": None,
        "same_host": None,
        "url": None,
    },
    "Threshold": {
        "checked": None,
        "checked_free": None,
        "free": None,
        "limit": None,
        "met": None,
        "strict": None,
        "threshold": None,
        "unit": None,
        "value": None,
        "why": None,
    },
    "Tool": {
        "commit": None,
        "go": None,
        "version": None,
    },
    "Totals": {
        "attempts": None,
        "bytes": None,
        "bytes_per_s": None,
        "carried": None,
        "causes": 'Cause',
        "failed": None,
        "first_attempt": 'Summary',
        "ok": None,
        "rate_per_s": None,
        "response_time": 'Summary',
        "retries": None,
        "scheduled": None,
        "send_delay": 'Summary',
        "service_time": 'Summary',
        "unfinished": None,
        "unsent": None,
    },
    "Transfer": {
        "block": 'Summary',
        "block_with_close_ns": None,
        "bytes": None,
        "bytes_per_s": None,
        "close": 'Summary',
        "close_share": None,
        "course": 'CoursePoint',
        "data_ns": None,
        "duration_ns": None,
        "failed": None,
        "files": None,
        "first_block_ns": None,
        "iterations": 'IterationFigure',
        "open": 'Summary',
        "reopen_causes": 'Cause',
        "reopened": None,
        "standstill": 'Standstill',
        "steady": 'SteadyPart',
        "taken_out_ns": None,
    },
    "Until": {
        "figure": None,
        "high": None,
        "known": None,
        "low": None,
        "most_ns": None,
        "not_steady": None,
        "takes_ns": None,
        "unit": None,
        "value": None,
        "warmup_not_steady": None,
        "warmup_ns": None,
        "why": None,
        "within": None,
    },
    "UpdateClock": {
        "bound_ns": None,
        "drift_ns": None,
        "offset_ns": None,
        "shared": None,
    },
    "UpdateReads": {
        "batches": 'ReadBatches',
        "keys": None,
        "keys_asked": None,
        "keys_found": None,
        "operation": 'Operation',
        "rate_per_s": None,
        "readers": None,
        "series": 'Point',
    },
    "UpdateSecond": {
        "applied": None,
        "batches": None,
        "e2e_max_ns": None,
        "e2e_p50_ns": None,
        "e2e_p99_ns": None,
        "second": None,
        "stale": None,
    },
    "UpdateServer": {
        "applied_per_s": None,
        "backlog_ns": None,
        "clock": 'UpdateClock',
        "digest": None,
        "due": 'DueBatches',
        "first": None,
        "last": None,
        "listeners": None,
        "live": None,
        "messages": None,
        "no_clock": None,
        "proof": 'Proof',
        "receive": None,
        "receives": None,
        "server_series": 'UpdateSecond',
        "stages": 'NamedStage',
        "url": None,
    },
    "UpdateSpread": {
        "batches": None,
        "bound_ns": None,
        "untold": None,
    },
    "UpdateStage": {
        "negative": None,
        "negative_min_ns": None,
        "summary": 'Summary',
    },
    "UpdateTrial": {
        "applied_per_s": None,
        "backlog_ns": None,
        "e2e_p99_ns": None,
        "interrupted": None,
        "rate_per_s": None,
        "sustained": None,
        "why": None,
    },
    "UpdatesDetail": {
        "applied_per_s": None,
        "at_least_once": None,
        "backlog_ns": None,
        "batch": None,
        "client": None,
        "clock": 'UpdateClock',
        "due": 'DueBatches',
        "failures": 'FailureMessage',
        "listeners": None,
        "manifest": 'Manifest',
        "message_bytes": None,
        "messages": None,
        "no_clock": None,
        "notes": None,
        "proof": 'Proof',
        "publishers": None,
        "reads": 'UpdateReads',
        "receive": None,
        "receives": None,
        "samples": 'SamplesFile',
        "search": 'UpdateTrial',
        "server": None,
        "server_series": 'UpdateSecond',
        "servers": 'UpdateServer',
        "spread": 'UpdateSpread',
        "stages": 'NamedStage',
        "transport": None,
    },
    "Verdict": {
        "reasons": None,
        "rules": None,
        "unseen": None,
        "validity": None,
    },
    "WSDetail": {
        "beats": None,
        "by_room": 'RoomFigures',
        "deliveries": None,
        "fanout": 'Fanout',
        "heartbeats": None,
        "lost": 'WSLosses',
        "protocol": 'WSProtocol',
        "replies": 'Replies',
        "samples": 'SamplesFile',
        "tail": 'MessageTail',
        "untaken": None,
        "untaken_example": None,
    },
    "WSLoss": {
        "cause": None,
        "count": None,
        "what": None,
    },
    "WSLosses": {
        "more": None,
        "texts": 'WSLoss',
    },
    "WSProtocol": {
        "codec": None,
        "name": None,
        "preset": None,
    },
    "Warning": {
        "code": None,
        "message": None,
    },
    "RunDocument": {
        "aborted": None,
        "connections": 'Connections',
        "definitions": None,
        "detail": None,
        "ended": None,
        "error": None,
        "exit": None,
        "flows": 'FlowFigures',
        "generator": 'Generator',
        "host": 'Host',
        "id": None,
        "in_turn": 'InTurn',
        "interrupted": None,
        "labels": None,
        "ledger": 'Ledger',
        "little": 'Little',
        "operations": 'Operation',
        "phases": 'Phase',
        "plan": None,
        "retries": 'CauseTime',
        "schema": None,
        "series": 'Point',
        "slices": 'Slice',
        "started": None,
        "target": 'Target',
        "thresholds": 'Threshold',
        "tool": 'Tool',
        "totals": 'Totals',
        "until": 'Until',
        "verdict": 'Verdict',
        "warnings": 'Warning',
        "workload": None,
    },
    "Base": {
        "level": None,
        "single": None,
        "w1_ns": None,
    },
    "CauseCount": {
        "cause": None,
        "count": None,
    },
    "Compared": {
        "info": None,
        "less_is_better": None,
        "name": None,
        "of": None,
        "unit": None,
    },
    "Comparison": {
        "alphas": None,
        "busy_limit": None,
        "decided": None,
        "doubts": None,
        "dropped": None,
        "figures": 'Compared',
        "judged": None,
        "launches": 'Launch',
        "left_out": None,
        "looks": None,
        "min_effect": None,
        "round_ns": None,
        "rounds": 'Rounds',
        "rows": 'Contrast',
        "rules": None,
        "seed": None,
        "sides": 'Side',
        "way": None,
        "workload": None,
    },
    "Contrast": {
        "a": None,
        "absent": None,
        "b": None,
        "figure": None,
        "high": None,
        "holm_p": None,
        "launches": None,
        "low": None,
        "outcome": None,
        "p": None,
        "ratio": None,
        "sign_flip_p": None,
        "smallest": None,
    },
    "Estimate": {
        "high": None,
        "low": None,
        "value": None,
    },
    "Figure": {
        "name": None,
        "of": None,
        "unit": None,
    },
    "Goal": {
        "expr": None,
        "figure": None,
        "limit": None,
        "unit": None,
    },
    "Known": {
        "launches": None,
        "merged": None,
        "of": None,
        "value": None,
        "why": None,
    },
    "Launch": {
        "dropped": None,
        "first": None,
        "lost": None,
        "members": None,
        "others": None,
        "rounds": None,
        "slice_ns": None,
        "slices": None,
        "values": 'Known',
    },
    "Launches": {
        "figure": 'Figure',
        "interval": None,
        "known": None,
        "least": None,
        "median": None,
        "most": None,
        "rules": None,
        "values": 'Known',
        "why": None,
        "within": None,
        "workload": None,
    },
    "Level": {
        "causes": 'CauseCount',
        "clients": None,
        "connections_failed": None,
        "connections_opened": None,
        "efficiency": None,
        "failed": None,
        "failed_share": None,
        "in_flight_predicted": None,
        "in_flight_sampled": None,
        "little_difference": None,
        "load": None,
        "lost": None,
        "missing": 'MissingShare',
        "offered_per_s": None,
        "ok": None,
        "peak_second": None,
        "predicted": None,
        "reconnects": None,
        "response_p50_ns": None,
        "response_p99_ns": None,
        "retries": None,
        "runs": None,
        "scheduled": None,
        "service_mean_ns": None,
        "service_p50_ns": None,
        "service_p99_ns": None,
        "shares": None,
        "throughput": None,
        "throughput_interval": None,
        "validity": None,
        "values": None,
    },
    "Loadline": {
        "doubts": None,
        "drift": None,
        "ending": None,
        "highest": None,
        "interval": None,
        "limits": 'Limit',
        "load": None,
        "longest_ns": None,
        "lowest": None,
        "max_time_ns": None,
        "most": None,
        "probes": 'Probe',
        "processors": None,
        "rules": None,
        "slo": 'Goal',
        "spread": None,
        "start": None,
        "time_up": None,
        "unit": None,
        "vary": None,
        "whole": None,
        "why": None,
        "within": None,
        "workload": None,
    },
    "Member": {
        "aborted": None,
        "error": None,
        "exit": None,
        "id": None,
        "name": None,
        "p99_ns": None,
        "path": None,
        "rate_per_s": None,
        "repeat": None,
        "result": None,
        "settings": None,
        "started": None,
        "target": None,
        "thresholds": 'Threshold',
        "verdict": 'Verdict',
        "workload": None,
    },
    "MissingShare": {
        "share": None,
        "state": None,
    },
    "Probe": {
        "generator": None,
        "length_ns": None,
        "load": None,
        "member": None,
        "missed": None,
        "p99_ns": None,
        "rate": None,
        "result": None,
        "slots_used": None,
        "values": 'Known',
        "why": None,
    },
    "Rounds": {
        "count": None,
        "length_ns": None,
        "stddev": None,
    },
    "Row": {
        "causes": 'CauseCount',
        "clients": None,
        "connections_failed": None,
        "connections_opened": None,
        "failed": None,
        "in_flight_predicted": None,
        "in_flight_sampled": None,
        "member": None,
        "offered_per_s": None,
        "ok": None,
        "peak_second": None,
        "reasons": None,
        "reconnects": None,
        "repeat": None,
        "response_mean_ns": None,
        "response_p50_ns": None,
        "response_p99_ns": None,
        "retries": None,
        "service_mean_ns": None,
        "service_p50_ns": None,
        "service_p99_ns": None,
        "states": None,
        "throughput": None,
        "unfinished": None,
        "unsent": None,
        "validity": None,
        "values": None,
        "window_ns": None,
    },
    "Scaling": {
        "kappa": 'Estimate',
        "lack_of_fit_p": None,
        "lambda": 'Estimate',
        "no_peak": None,
        "peak": 'Estimate',
        "refused": None,
        "sigma": 'Estimate',
        "spread": None,
    },
    "Side": {
        "command": None,
        "name": None,
        "plan": None,
        "target": None,
    },
    "Sweep": {
        "base": 'Base',
        "best": None,
        "doubts": None,
        "ending": None,
        "fails_from": None,
        "levels": 'Level',
        "order": None,
        "peak": None,
        "recommended": None,
        "repeats": None,
        "rows": 'Row',
        "rules": None,
        "scaling": 'Scaling',
        "seed": None,
        "throughput": 'Figure',
        "vary": 'Vary',
        "workload": None,
    },
    "Vary": {
        "concurrency": None,
        "numeric": None,
        "setting": None,
        "size": None,
        "values": None,
    },
    "SetDocument": {
        "comparison": 'Comparison',
        "ended": None,
        "error": None,
        "exit": None,
        "host": 'Host',
        "id": None,
        "interrupted": None,
        "kind": None,
        "labels": None,
        "launches": 'Launches',
        "loadline": 'Loadline',
        "members": 'Member',
        "plan": None,
        "planned": None,
        "schema": None,
        "started": None,
        "sweep": 'Sweep',
        "tool": 'Tool',
        "verdict": 'Verdict',
    },
}

# The definition of the detail of a run, by its workload.
DETAILS = {
    "bandwidth": "BandwidthDetail",
    "chat": "ChatDetail",
    "http": "HTTPDetail",
    "overhead": "OverheadDetail",
    "updates": "UpdatesDetail",
    "ws": "WSDetail",
}
