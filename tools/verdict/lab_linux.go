package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The addresses of the two namespaces, of the range that is set aside for benchmarks (RFC 2544).
const (
	generatorIP = "198.18.0.1"
	targetIP    = "198.18.0.2"
)

// The CPUs. The tool itself sleeps while a trial runs.
const (
	generatorCPU = 0
	targetCPU    = 1
)

// lab holds what has to be taken down.
type lab struct {
	self              string // this program
	root              bool
	generator, target string   // network namespaces; "" without root
	groups            []string // directories of control groups, parents first
	base              string   // of the groups
	v2                bool
	delegated         string // the group that got the cpu controller for those below it, and loses it at the end
	quotas            map[string]*group
	children          []*process    // that have not been ended
	used              time.Duration // CPU time of those that have
}

func newLab() (*lab, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &lab{self: self, root: os.Geteuid() == 0, quotas: map[string]*group{}}
	if !l.root {
		return l, nil
	}
	if err := l.connect(); err != nil {
		l.close()
		return nil, fmt.Errorf("network namespaces: %w", err)
	}
	return l, nil
}

// connect makes two network namespaces and a pair of virtual cards between them.
func (l *lab) connect() error {
	id := os.Getpid()
	g, t := fmt.Sprintf("plv%dg", id), fmt.Sprintf("plv%dt", id)
	for _, name := range []string{g, t} {
		if err := ip("netns", "add", name); err != nil {
			return err
		}
		if l.generator == "" {
			l.generator = name
		} else {
			l.target = name
		}
	}
	if err := ip("-n", g, "link", "add", "plv0", "type", "veth", "peer", "name", "plv1", "netns", t); err != nil {
		return err
	}
	for _, end := range [][3]string{{g, "plv0", generatorIP}, {t, "plv1", targetIP}} {
		for _, step := range [][]string{
			{"addr", "add", end[2] + "/30", "dev", end[1]}, {"link", "set", end[1], "up"}, {"link", "set", "lo", "up"},
		} {
			if err := ip(append([]string{"-n", end[0]}, step...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// close takes everything down. What fails is told, and does not keep the rest.
func (l *lab) close() {
	for _, p := range slices.Clone(l.children) {
		p.kill()
	}
	for _, dir := range slices.Backward(l.groups) {
		complain(os.Remove(dir))
	}
	if l.delegated != "" {
		complain(write(l.delegated, "cgroup.subtree_control", "-cpu"))
	}
	for _, name := range []string{l.generator, l.target} {
		if name != "" {
			complain(ip("netns", "delete", name))
		}
	}
}

func complain(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "verdict: left behind:", err)
	}
}

// quota makes a control group that may use so many CPUs. The generator runs in that group or, if the
// quota is to be above it, in one below that has none of its own.
func (l *lab) quota(cpus float64, above bool) (*group, error) {
	if err := l.groupBase(); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("quota%g", cpus)
	if above {
		name += "above"
	}
	if g := l.quotas[name]; g != nil {
		return g, nil
	}
	g := &group{v2: l.v2, limited: filepath.Join(l.base, name)}
	if err := l.mkdir(g.limited); err != nil {
		return nil, err
	}
	g.inside = g.limited
	if above {
		if err := l.delegate(g.limited); err != nil {
			return nil, err
		}
		g.inside = filepath.Join(g.limited, "below")
		if err := l.mkdir(g.inside); err != nil {
			return nil, err
		}
	}
	if err := l.limit(g.limited, cpus); err != nil {
		return nil, err
	}
	l.quotas[name] = g
	return g, nil
}

// limit sets the quota of a group.
func (l *lab) limit(dir string, cpus float64) error {
	const period = 100_000 // µs, the kernel's own default
	us := int(cpus * period)
	if l.v2 {
		return write(dir, "cpu.max", fmt.Sprintf("%d %d", us, period))
	}
	return errors.Join(write(dir, "cpu.cfs_period_us", fmt.Sprint(period)), write(dir, "cpu.cfs_quota_us", fmt.Sprint(us)))
}

// groupBase makes the group above all others, where the cpu controller is: version 1 if it is mounted.
func (l *lab) groupBase() error {
	if l.base != "" {
		return nil
	}
	root := "/sys/fs/cgroup/cpu"
	if _, err := os.Stat(filepath.Join(root, "cpu.cfs_quota_us")); err != nil {
		if _, err := os.Stat(filepath.Join(root, "tasks")); err != nil {
			root, l.v2 = "/sys/fs/cgroup", true
		}
	}
	if l.v2 {
		given, err := os.ReadFile(filepath.Join(root, "cgroup.subtree_control"))
		if err != nil {
			return err
		}
		if !slices.Contains(strings.Fields(string(given)), "cpu") {
			if err := l.delegate(root); err != nil {
				return err
			}
			l.delegated = root
		}
	}
	base := filepath.Join(root, fmt.Sprintf("plimsoll-verdict-%d", os.Getpid()))
	if err := l.mkdir(base); err != nil {
		return err
	}
	l.base = base
	return l.delegate(base)
}

// delegate gives the groups below one the cpu controller, which version 1 does by itself.
func (l *lab) delegate(dir string) error {
	if !l.v2 {
		return nil
	}
	return write(dir, "cgroup.subtree_control", "+cpu")
}

func (l *lab) mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	l.groups = append(l.groups, dir)
	return nil
}

func write(dir, file, text string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0)
}

// group is a control group with a quota.
type group struct {
	limited string // has the quota
	inside  string // has the generator
	v2      bool
}

// throttledNS is how long the group was throttled so far: the truth about a quota. No group is never.
func (g *group) throttledNS() int64 {
	if g == nil {
		return 0
	}
	text, _ := os.ReadFile(filepath.Join(g.limited, "cpu.stat")) // without it, 0 is all that is known
	for line := range strings.Lines(string(text)) {
		var name string
		var n int64
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			continue
		}
		switch name {
		case "throttled_time":
			return n
		case "throttled_usec":
			return n * 1000
		}
	}
	return 0
}

// others begins to watch the machine. What it returns tells, when all children have ended, how many
// CPUs were busy since then with something else.
func (l *lab) others() func() float64 {
	began, busy, used := time.Now(), busyTime(), l.used
	return func() float64 {
		return max(0, (busyTime()-busy-(l.used-used)).Seconds()/time.Since(began).Seconds())
	}
}

// busyTime is how long the machine's CPUs have been busy, together. The kernel counts in hundredths
// of a second: idle is the fourth figure and waiting for a disk the fifth of the first line.
func busyTime() time.Duration {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	var sum time.Duration
	for i, f := range strings.Fields(line) {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil && i != 4 && i != 5 && i < 9 {
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

func kernel() string {
	var u unix.Utsname
	_ = unix.Uname(&u) // it cannot fail
	return unix.ByteSliceToString(u.Release[:])
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); len(f) > 2 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}
