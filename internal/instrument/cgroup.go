package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A process is in one control group of each hierarchy. The controller of the CPU belongs to one of them: to
// one of version 1 that says so, by itself or with others, or else to the one of version 2.

// membership is a line of /proc/self/cgroup.
type membership struct {
	controllers []string // none in version 2
	path        string
}

// parseMemberships reads lines such as "4:cpu,cpuacct:/user.slice" and "0::/user.slice".
func parseMemberships(text []byte) (all []membership) {
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 || !strings.HasPrefix(fields[2], "/") {
			continue
		}
		m := membership{path: fields[2]}
		if fields[1] != "" {
			m.controllers = strings.Split(fields[1], ",")
		}
		all = append(all, m)
	}
	return all
}

// mount is a line of /proc/self/mountinfo.
type mount struct {
	root    string // what of the file system is mounted
	point   string // where
	kind    string
	options []string // of the file system, which are the controllers in version 1
}

// parseMounts reads lines such as "36 35 98:0 /part /mnt rw,noatime shared:1 - ext3 /dev/root rw,errors=continue"
// (proc_pid_mountinfo(5)); there may be any number of fields before the dash.
func parseMounts(text []byte) (all []mount) {
	const root, point, least = 3, 4, 6
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if dash < least || len(fields) < dash+4 {
			continue
		}
		all = append(all, mount{
			root: unescape(fields[root]), point: unescape(fields[point]),
			kind: fields[dash+1], options: strings.Split(fields[dash+3], ","),
		})
	}
	return all
}

// unescape undoes the octal escapes of blanks and backslashes in mountinfo.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// hierarchy is where the groups are that the CPU is shared out by.
type hierarchy struct {
	one    bool     // version 1
	levels []string // directories, from the process's own group up to the top of what is mounted
}

// findGroups finds the groups of the process that have to do with the CPU. In a container those above the
// container's are not mounted: a quota there is not seen.
func findGroups(files fs.FS) (hierarchy, error) {
	groups, err := fs.ReadFile(files, "proc/self/cgroup")
	if err != nil {
		return hierarchy{}, err
	}
	mounts, err := fs.ReadFile(files, "proc/self/mountinfo")
	if err != nil {
		return hierarchy{}, err
	}
	return locate(parseMemberships(groups), parseMounts(mounts))
}

func locate(groups []membership, mounts []mount) (hierarchy, error) {
	one := slices.IndexFunc(groups, func(g membership) bool { return slices.Contains(g.controllers, "cpu") })
	two := slices.IndexFunc(groups, func(g membership) bool { return len(g.controllers) == 0 })
	own := max(one, two)
	if one >= 0 {
		own = one
	}
	if own < 0 {
		return hierarchy{}, errors.New("no CPU control group")
	}
	for _, m := range mounts {
		version1 := m.kind == "cgroup" && slices.Contains(m.options, "cpu")
		if one >= 0 && !version1 || one < 0 && m.kind != "cgroup2" {
			continue
		}
		if levels := m.levels(groups[own].path); levels != nil {
			return hierarchy{one: one >= 0, levels: levels}, nil
		}
	}
	return hierarchy{}, errors.New("the CPU control group is not mounted")
}

// levels are the directories from a group up to the mount's top; nil when the mount does not have the group. The
// root of the mount and the group's path are both seen from the process's namespace, "/.." being outside of it.
func (m mount) levels(group string) (dirs []string) {
	root := strings.TrimSuffix(m.root, "/")
	below, ok := strings.CutPrefix(group, root)
	if !ok || below != "" && below[0] != '/' || slices.Contains(strings.Split(group, "/"), "..") {
		return nil
	}
	top := path.Clean("/" + m.point)
	for dir := path.Join(top, below); ; dir = path.Dir(dir) {
		dirs = append(dirs, strings.TrimPrefix(dir, "/"))
		if dir == top {
			return dirs
		}
	}
}

// throttled is for how long each level's quota kept its processes off the CPUs, summed over CPUs, by the
// level's directory. A level without the controller has no quota and is 0. With an error some level could not be read,
// and what was found is of the others; the own group must be among them.
func (h hierarchy) throttled(files fs.FS) (map[string]time.Duration, error) {
	name, unit := "throttled_usec", time.Microsecond
	if h.one {
		name, unit = "throttled_time", time.Nanosecond
	}
	found := map[string]time.Duration{}
	var missing error
	for i, dir := range h.levels {
		text, err := fs.ReadFile(files, path.Join(dir, "cpu.stat"))
		if errors.Is(err, fs.ErrNotExist) {
			_, err = fs.Stat(files, path.Clean(dir))
		}
		if err == nil {
			found[dir], err = parseThrottled(text, name, unit)
		}
		if err != nil && i == 0 {
			return nil, err
		}
		missing = cmp.Or(missing, err)
	}
	return found, missing
}

// parseThrottled reads a value of cpu.stat; 0 when it is not there.
func parseThrottled(text []byte, name string, unit time.Duration) (time.Duration, error) {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || v < 0 || v > math.MaxInt64/int64(unit) {
				return 0, fmt.Errorf("%.40q in cpu.stat", strings.TrimSpace(line))
			}
			return time.Duration(v) * unit, nil
		}
	}
	return 0, nil
}

// mostThrottled is the longest that any level was throttled between two readings: what a level was, those below it
// were, too, so that their sum would count it twice.
func mostThrottled(before, after map[string]time.Duration) (most time.Duration) {
	for dir, d := range after {
		most = max(most, d-before[dir])
	}
	return most
}

// quota is how many CPUs' time the levels allow at most; infinite without a quota.
func (h hierarchy) quota(files fs.FS) float64 {
	least := math.Inf(1)
	for _, dir := range h.levels {
		var text string
		if h.one {
			text = read(files, path.Join(dir, "cpu.cfs_quota_us")) + " " + read(files, path.Join(dir, "cpu.cfs_period_us"))
		} else {
			text = read(files, path.Join(dir, "cpu.max"))
		}
		least = min(least, parseQuota(text))
	}
	return least
}

// parseQuota reads "quota period", both in µs; "max" or -1 stand for none, and so does what cannot be read.
func parseQuota(text string) float64 {
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return math.Inf(1)
	}
	quota, bad := strconv.ParseInt(fields[0], 10, 64)
	period, worse := strconv.ParseInt(fields[1], 10, 64)
	if bad != nil || worse != nil || quota <= 0 || period <= 0 {
		return math.Inf(1)
	}
	return float64(quota) / float64(period)
}

// read reads a small file; "" when that cannot be done.
func read(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
