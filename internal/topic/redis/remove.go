package redis

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// removeEvery is how often entries that all have acknowledged are removed.
	removeEvery = 250 * time.Millisecond
	// removeTogether is how many are removed by one command, behind which others wait.
	removeTogether = 500
	// remembered is how many entries are known to be ours, 16 MiB of them; older ones stay.
	remembered = 1 << 20
	// lastRemoval bounds what Close waits for.
	lastRemoval = 2 * time.Second
)

// id is the identifier of an entry.
type id struct{ ms, n uint64 }

func parseID(text string) id {
	ms, n, _ := strings.Cut(text, "-")
	var i id
	i.ms, _ = strconv.ParseUint(ms, 10, 64)
	i.n, _ = strconv.ParseUint(n, 10, 64)
	return i
}

func (i id) String() string {
	return strconv.FormatUint(i.ms, 10) + "-" + strconv.FormatUint(i.n, 10)
}

func (i id) before(other id) bool { return i.ms < other.ms || i.ms == other.ms && i.n < other.n }

// remover removes the entries that this topic's publishers have added, and no others: the stream
// may be somebody's, with entries that no group of it waits for. XTRIM would remove those, too.
type remover struct {
	topic *redisTopic

	mu    sync.Mutex
	added []id // since they were last looked at

	life       sync.Mutex
	publishers int
	stop       context.CancelFunc
	work       sync.WaitGroup
	ours       []id // that are still there; the goroutine's while there is one, or of who has life
	awaited    bool // there was a group; like ours
}

// wrote takes down an entry that was added here. It is called on the way of a message.
func (r *remover) wrote(entry string) {
	i := parseID(entry)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.added) < remembered {
		r.added = append(r.added, i)
	}
}

// addPublisher has one publisher more. There is a goroutine as long as there is one.
func (r *remover) addPublisher(ctx context.Context) {
	r.life.Lock()
	defer r.life.Unlock()
	if r.publishers++; r.publishers > 1 {
		return
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.work.Go(func() { r.run(working) })
}

// dropPublisher has one publisher less.
func (r *remover) dropPublisher() {
	r.life.Lock()
	defer r.life.Unlock()
	if r.publishers--; r.publishers > 0 {
		return
	}
	r.stop()
	r.work.Wait()
}

// removeRest removes what can be removed now. There are no publishers any more; and if there were groups,
// and are none any more, such as that of a server that was started for the run, nobody waits for anything.
func (r *remover) removeRest() {
	r.life.Lock()
	defer r.life.Unlock()
	if len(r.ours)+len(r.added) == 0 {
		return
	}
	client, err := r.topic.client()
	if err != nil {
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), lastRemoval)
	defer cancel()
	r.sweep(ctx, client)
	if r.awaited && len(r.ours) > 0 {
		groups, err := client.XInfoGroups(ctx, r.topic.settings.stream).Result()
		if err == nil && len(groups) == 0 {
			r.removeBefore(ctx, client, id{ms: math.MaxUint64})
		}
	}
}

func (r *remover) run(ctx context.Context) {
	client, err := r.topic.client()
	if err != nil { // which the publisher would have had, too
		return
	}
	defer client.Close()
	if _, found, err := acknowledged(ctx, client, r.topic.settings.stream); err == nil && found {
		r.awaited = true
	}
	ticker := time.NewTicker(removeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.sweep(ctx, client)
		case <-ctx.Done():
			return
		}
	}
}

// sweep removes our entries that were acknowledged by each group. What fails here leaves them, and
// is tried again.
func (r *remover) sweep(ctx context.Context, client *redis.Client) {
	r.mu.Lock()
	r.ours, r.added = append(r.ours, r.added...), r.added[:0]
	r.mu.Unlock()
	r.ours = r.ours[max(0, len(r.ours)-remembered):]
	if len(r.ours) == 0 {
		return
	}
	floor, found, err := acknowledged(ctx, client, r.topic.settings.stream)
	if err != nil || !found {
		return
	}
	r.awaited = true
	r.removeBefore(ctx, client, floor)
}

// removeBefore removes our entries before one. Those that could not be removed are kept for the next time.
func (r *remover) removeBefore(ctx context.Context, client *redis.Client, floor id) {
	var done []string
	left := r.ours[:0]
	for _, i := range r.ours {
		if i.before(floor) {
			done = append(done, i.String())
		} else {
			left = append(left, i)
		}
	}
	r.ours = left
	for some := range slices.Chunk(done, removeTogether) {
		if client.XDel(ctx, r.topic.settings.stream, some...).Err() == nil {
			continue
		}
		for _, entry := range some {
			r.ours = append(r.ours, parseID(entry))
		}
	}
}

// acknowledged is an entry before which all were acknowledged by each group; false without groups.
//
// It may be out of date when it is used, which is harmless: it can only be too small. A group's
// last delivered entry and its first unacknowledged one only grow, and a group that is made
// meanwhile begins at the end.
func acknowledged(ctx context.Context, client *redis.Client, stream string) (floor id, found bool, err error) {
	groups, err := client.XInfoGroups(ctx, stream).Result()
	if err != nil {
		return id{}, false, err
	}
	for n, g := range groups {
		first := parseID(g.LastDeliveredID)
		if g.Pending > 0 {
			pending, err := client.XPending(ctx, stream, g.Name).Result()
			if err != nil {
				return id{}, false, err
			}
			if pending.Count > 0 {
				first = parseID(pending.Lower)
			}
		}
		if n == 0 || first.before(floor) {
			floor = first
		}
	}
	return floor, len(groups) > 0, nil
}
