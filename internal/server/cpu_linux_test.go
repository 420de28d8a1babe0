package server

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const after = ") S 1 2 3 4 5 6 7 8 9 10 250 31 0 0"
	for _, name := range []string{"plimsoll", "a b", ") 1 2", "("} {
		user, system, err := parseStat([]byte("42 (" + name + after))
		if err != nil || user != 2500*time.Millisecond || system != 310*time.Millisecond {
			t.Errorf("%q: %v, %v, %v", name, user, system, err)
		}
	}
	for _, bad := range []string{"", "42", "42 (x) S 1 2", strings.Replace("42 (x"+after, "250", "x", 1)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a process status", bad)
		}
	}
}

// What the system says of this process in one place it says in the other, within two of its ticks.
func TestProcessCPU(t *testing.T) {
	spent := func() (user, system time.Duration) {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	for user, system := spent(); min(user, system) < 5*tick; user, system = spent() {
		_, _ = os.Stat("/")
	}
	user0, system0 := spent()
	user, system, err := processCPU(os.Getpid())
	user1, system1 := spent()
	if err != nil || user < user0-2*tick || user > user1+2*tick || system < system0-2*tick || system > system1+2*tick {
		t.Errorf("%v and %v; before %v and %v, then %v and %v: %v", user, system, user0, system0, user1, system1, err)
	}
	if user, system, err := processCPU(-1); user != 0 || system != 0 || err == nil {
		t.Errorf("%v, %v, %v of no process", user, system, err)
	}
	const twelve = "42 (x) S 1 2 3 4 5 6 7 8 9 10 250"
	if _, _, err := parseStat([]byte(twelve)); err == nil {
		t.Error("a time is missing")
	}
	if user, system, err := parseStat([]byte(twelve + " 31")); err != nil || user != 2500*time.Millisecond || system != 310*time.Millisecond {
		t.Errorf("%v, %v, %v", user, system, err)
	}
	if _, _, err := parseStat([]byte(strings.Replace(twelve+" 31 1 1 1 1", ")", "", 1))); err == nil {
		t.Error("a name without an end")
	}
}
