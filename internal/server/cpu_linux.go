package server

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of the times in /proc: USER_HZ is 100 on every architecture.
const tick = 10 * time.Millisecond

// processCPU reads the CPU times of a living process.
func processCPU(pid int) (user, system time.Duration, err error) {
	name := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, 0, err
	}
	if user, system, err = parseStat(data); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", name, err)
	}
	return user, system, nil
}

// parseStat takes utime and stime, the fields 14 and 15 of proc_pid_stat(5). The second field
// is the program's name in parentheses and may hold anything, parentheses too.
func parseStat(data []byte) (user, system time.Duration, err error) {
	end := bytes.LastIndexByte(data, ')')
	fields := bytes.Fields(data[end+1:]) // from the third field on
	if end < 0 || len(fields) < 13 {
		return 0, 0, errors.New("not a process status")
	}
	var ticks [2]time.Duration
	for i := range ticks {
		n, err := strconv.ParseInt(string(fields[11+i]), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		ticks[i] = time.Duration(n)
	}
	return ticks[0] * tick, ticks[1] * tick, nil
}
