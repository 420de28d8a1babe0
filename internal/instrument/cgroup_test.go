package instrument

import (
	"io/fs"
	"math"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	v1Mounts = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n" +
		"33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" +
		"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:5 master:1 - cgroup cgroup rw,cpu,cpuacct\n" +
		"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	v1Groups = "9:name=systemd:/\n3:cpuset:/x\n4:cpu,cpuacct:/load/gen\n0::/load\n"
	v2Mount  = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
)

// TestControlGroups has systems as they are found, with what was throttled before and after a window.
func TestControlGroups(t *testing.T) {
	none := math.Inf(1)
	for _, test := range []struct {
		name   string
		system fs.FS
		want   time.Duration
		quota  float64
		why    string
	}{
		{name: "version 2, own group", system: files(
			"proc/self/cgroup", "0::/user.slice/gen.scope\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/cpu.stat", "usage_usec 9\n",
			"sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 9\nthrottled_usec 0\n",
			"sys/fs/cgroup/user.slice/cpu.max", "max 100000\n",
			"sys/fs/cgroup/user.slice/gen.scope/cpu.stat", "nr_periods 1\nnr_throttled 2\nthrottled_usec 2500\n",
			"sys/fs/cgroup/user.slice/gen.scope/cpu.max", "30000 100000\n",
		), want: 2500 * time.Microsecond, quota: .3},
		{name: "version 2, a group above is tighter", system: files(
			"proc/self/cgroup", "0::/pod/gen\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/pod/cpu.stat", "throttled_usec 900\n", "sys/fs/cgroup/pod/cpu.max", "150000 100000",
			"sys/fs/cgroup/pod/gen/cpu.stat", "throttled_usec 700\n", "sys/fs/cgroup/pod/gen/cpu.max", "200000 100000",
		), want: 900 * time.Microsecond, quota: 1.5},
		{name: "version 2, no controller anywhere", system: files(
			"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", v2Mount, "sys/fs/cgroup/a/cpu.stat", "usage_usec 9\n",
		), quota: none},
		{name: "version 2, an old kernel's root", system: files(
			"proc/self/cgroup", "0::/\n", "proc/self/mountinfo", v2Mount, "sys/fs/cgroup/cgroup.procs", "1\n",
		), quota: none},
		{name: "version 1, a quota above", system: files(
			"proc/self/cgroup", v1Groups, "proc/self/mountinfo", v1Mounts,
			"sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/load/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 123456789\n",
			"sys/fs/cgroup/cpu,cpuacct/load/cpu.cfs_quota_us", "60000\n",
			"sys/fs/cgroup/cpu,cpuacct/load/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/load/gen/cpu.stat", "throttled_time 5\n",
			// That of version 2 has nothing to say: the controller is in version 1.
			"sys/fs/cgroup/unified/load/cpu.stat", "throttled_usec 999999\n",
			"sys/fs/cgroup/unified/load/cpu.max", "1000 100000\n",
		), want: 123456789, quota: .6},
		{name: "a container without a namespace of its own", system: files(
			"proc/self/cgroup", "4:cpu:/docker/abc\n0::/\n",
			"proc/self/mountinfo", "50 40 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n",
			"sys/fs/cgroup/cpu/cpu.stat", "throttled_time 42\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000",
		), want: 42, quota: 2},
		{name: "a container with one", system: files(
			"proc/self/cgroup", "0::/\n", "proc/self/mountinfo", "50 40 0:29 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			"sys/fs/cgroup/cpu.stat", "throttled_usec 42\n", "sys/fs/cgroup/cpu.max", "200000 100000",
		), want: 42 * time.Microsecond, quota: 2},
		{name: "a mount with blanks, and a second one", system: files(
			"proc/self/cgroup", "0::/a b\n", "proc/self/mountinfo",
			"50 40 0:29 /other /elsewhere ro - cgroup2 cgroup rw\n50 40 0:29 / /my\\040groups ro - cgroup2 cgroup rw\n",
			"my groups/a b/cpu.stat", "throttled_usec 7\n", "elsewhere/cpu.stat", "throttled_usec 8\n",
		), want: 7 * time.Microsecond, quota: none},
		{name: "mounted at the root", system: files(
			"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", "50 40 0:29 / / ro - cgroup2 cgroup rw\n",
			"a/cpu.stat", "throttled_usec 7\n", "cpu.stat", "throttled_usec 8\n",
		), want: 8 * time.Microsecond, quota: none},
		{name: "a colon in the name", system: files(
			"proc/self/cgroup", "0::/a:b\n", "proc/self/mountinfo", v2Mount, "sys/fs/cgroup/a:b/cpu.stat", "throttled_usec 7\n",
		), want: 7 * time.Microsecond, quota: none},
		{name: "version 1 behind a mount of version 2", system: files(
			"proc/self/cgroup", "4:cpu:/g\n0::/g\n", "proc/self/mountinfo",
			"41 31 0:38 / /unified rw - cgroup2 cgroup2 rw\n32 31 0:29 / /cpu rw - cgroup cgroup rw,cpu\n",
			"cpu/g/cpu.stat", "throttled_time 42\n", "unified/g/cpu.stat", "throttled_time 43\n",
		), want: 42, quota: none},
		{name: "no control groups", system: files("proc/self/mountinfo", v2Mount), quota: none,
			why: "/proc/self/cgroup: file does not exist"},
		{name: "no mounts", system: files("proc/self/cgroup", "0::/\n"), quota: none,
			why: "/proc/self/mountinfo: file does not exist"},
		{name: "empty", system: files("proc/self/cgroup", "", "proc/self/mountinfo", ""), quota: none,
			why: "no CPU control group"},
		{name: "not mounted", system: files("proc/self/cgroup", "0::/\n", "proc/self/mountinfo", "1 2 x\n"), quota: none,
			why: "the CPU control group is not mounted"},
		{name: "the group is outside of the namespace", system: files(
			"proc/self/cgroup", "0::/../other\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/cpu.stat", "throttled_usec 5\n", "sys/fs/other/cpu.stat", "throttled_usec 5\n",
		), quota: none, why: "the CPU control group is not mounted"},
		{name: "another part is mounted", system: files(
			"proc/self/cgroup", "0::/docker/abcdef\n",
			"proc/self/mountinfo", "50 40 0:29 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			"sys/fs/cgroup/cpu.stat", "throttled_usec 5\n", "sys/fs/cgroup/def/cpu.stat", "throttled_usec 5\n",
		), quota: none, why: "the CPU control group is not mounted"},
		{name: "the own group is not there", system: files(
			"proc/self/cgroup", "0::/gone\n", "proc/self/mountinfo", v2Mount, "sys/fs/cgroup/cpu.stat", "throttled_usec 5\n",
			"sys/fs/cgroup/cpu.max", "200000 100000",
		), quota: 2, why: "/sys/fs/cgroup/gone: file does not exist"},
		{name: "a tight quota hides behind nonsense", system: files(
			"proc/self/cgroup", "0::/a\n0::/b\nnonsense\n:::\n", "proc/self/mountinfo", "- - - -\n"+v2Mount,
			"sys/fs/cgroup/a/cpu.stat", "throttled_usec 99999999999999999999\n", "sys/fs/cgroup/a/cpu.max", "-5 0\n",
			"sys/fs/cgroup/cpu.stat", "throttled_usec -1\nthrottled_usec 4\n", "sys/fs/cgroup/cpu.max", "1 2 3",
		), quota: none, why: `"throttled_usec 99999999999999999999" in cpu.stat`},
		{name: "nonsense above", system: files(
			"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/a/cpu.stat", "throttled_usec 6\n",
			"sys/fs/cgroup/cpu.stat", "throttled_usec -1\nthrottled_usec 4\n",
		), want: 6 * time.Microsecond, quota: none, why: `"throttled_usec -1" in cpu.stat`},
		{name: "a group above may not be read", system: denied{files(
			"proc/self/cgroup", "0::/pod/gen\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/cpu.stat", "throttled_usec 6\n",
			"sys/fs/cgroup/pod/cpu.stat", "throttled_usec 900\n", "sys/fs/cgroup/pod/gen/cpu.stat", "throttled_usec 7\n",
		), "sys/fs/cgroup/pod/cpu.stat"}, want: 7 * time.Microsecond, quota: none,
			why: "/sys/fs/cgroup/pod/cpu.stat: permission denied"},
		{name: "the own group may not be read", system: denied{files(
			"proc/self/cgroup", "0::/gen\n", "proc/self/mountinfo", v2Mount,
			"sys/fs/cgroup/cpu.stat", "throttled_usec 6\n", "sys/fs/cgroup/gen/cpu.stat", "throttled_usec 7\n",
		), "sys/fs/cgroup/gen/cpu.stat"}, quota: none, why: "/sys/fs/cgroup/gen/cpu.stat: permission denied"},
		{name: "mounted at the root, without the controller", system: files(
			"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", "50 40 0:29 / / ro - cgroup2 cgroup rw\n",
			"a/cpu.stat", "throttled_usec 7\n",
		), want: 7 * time.Microsecond, quota: none},
	} {
		groups, err := findGroups(test.system)
		var got map[string]time.Duration
		if err == nil {
			got, err = groups.throttled(test.system)
		}
		why := ""
		if err != nil {
			why = reason(err)
		}
		if why != test.why {
			t.Errorf("%s: %q, want %q", test.name, why, test.why)
		}
		if most := mostThrottled(nil, got); most != test.want {
			t.Errorf("%s: throttled for %v, want %v", test.name, most, test.want)
		}
		if q := groups.quota(test.system); q != test.quota {
			t.Errorf("%s: a quota of %v, want %v", test.name, q, test.quota)
		}
	}
}

// denied is a system with one file that may not be read.
type denied struct {
	fs.FS
	file string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

func TestMostThrottledCgroupCounts(t *testing.T) {
	before := map[string]time.Duration{"a": 100, "a/b": 5, "c": 7}
	after := map[string]time.Duration{"a": 130, "a/b": 45, "d": 20}
	if got := mostThrottled(before, after); got != 40 {
		t.Errorf("%v, want 40 ns", got)
	}
	if got := mostThrottled(after, before); got != 7 { // of a level that was not there before
		t.Errorf("%v", got)
	}
}

func TestMounts(t *testing.T) {
	got := parseMounts([]byte(
		"36 35 98:0 /part\\134 /m\\040n rw,noatime shared:1 unbindable - ext3 /dev/root rw,errors=continue\n" +
			"36 35 98:0 / /short rw - ext3 /dev/root\n" + "36 35 98:0 - / /mnt rw\n" + "36 35 98:0 / - rw - a b c\n" +
			"36 35 98:0 / /mnt - a b c,d\n"))
	want := []mount{{root: `/part\`, point: "/m n", kind: "ext3", options: []string{"rw", "errors=continue"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mount{})); diff != "" {
		t.Error(diff)
	}
}

// FuzzGroups has any content of the two files that say where the groups are: each level lies above the one before it.
func FuzzGroups(f *testing.F) {
	f.Add(v1Groups, v1Mounts)
	f.Add("0::/user.slice\n", v2Mount)
	f.Add("0::/../..\n", "30 23 0:26 /.. /sys/../.. rw - cgroup2 cgroup2 rw\n")
	f.Fuzz(func(t *testing.T, groups, mounts string) {
		h, err := locate(parseMemberships([]byte(groups)), parseMounts([]byte(mounts)))
		if (err == nil) != (len(h.levels) > 0) {
			t.Fatalf("%v, %v", h, err)
		}
		for i, dir := range h.levels {
			if strings.HasPrefix(path.Clean("/"+dir), "/..") || i > 0 && !strings.HasPrefix(h.levels[i-1], dir) {
				t.Errorf("level %q of %q", dir, h.levels)
			}
		}
		if _, err := h.throttled(fstest.MapFS{}); err == nil && len(h.levels) > 0 && fs.ValidPath(h.levels[0]) &&
			h.levels[0] != "" {
			t.Errorf("%q is there", h.levels)
		}
		h.quota(fstest.MapFS{})
	})
}

func FuzzCPUStat(f *testing.F) {
	f.Add("nr_periods 1\nthrottled_usec 2500\n")
	f.Add("throttled_usec 9223372036854775807")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseThrottled([]byte(text), "throttled_usec", time.Microsecond); d < 0 || err != nil && d != 0 {
			t.Error(d, err)
		}
	})
}

func FuzzQuota(f *testing.F) {
	f.Add("max 100000")
	f.Add("30000 100000\n")
	f.Add("-1 100000")
	f.Fuzz(func(t *testing.T, text string) {
		if q := parseQuota(text); !(q > 0) {
			t.Error(q)
		}
	})
}

// TestQuotasAndTimes reads single values, to the largest that there are.
func TestQuotasAndTimes(t *testing.T) {
	for text, want := range map[string]float64{
		"100000 100000": 1, "150000 100000": 1.5, "1 1000": 0.001, "9223372036854775807 1": math.MaxInt64,
		"9223372036854775807 9223372036854775807": 1, "max 100000": math.Inf(1), "-1 100000": math.Inf(1), "0 100000": math.Inf(1),
		"100000 0": math.Inf(1), "100000 -1": math.Inf(1), "9223372036854775808 100000": math.Inf(1),
		"100000 9223372036854775808": math.Inf(1), "100000": math.Inf(1), "1 2 3": math.Inf(1), "": math.Inf(1),
	} {
		if got := parseQuota(text); got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
	for _, test := range []struct {
		text string
		unit time.Duration
		want time.Duration
		bad  bool
	}{
		{"t 9223372036854775807\n", 1, math.MaxInt64, false}, {"t 9223372036854775808\n", 1, 0, true}, {"t -1\n", 1, 0, true},
		{"t 9223372036854775\n", 1000, 9223372036854775000, false}, {"t 9223372036854776\n", 1000, 0, true}, {"t 0\n", 1, 0, false},
		{"other 7\n", 1, 0, false}, {"t7\n", 1, 0, false},
	} {
		if got, err := parseThrottled([]byte(test.text), "t", test.unit); got != test.want || (err != nil) != test.bad {
			t.Errorf("%q: %v, %v", test.text, got, err)
		}
	}
}
