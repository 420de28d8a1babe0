//go:build unix

package cli_test

import (
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll/internal/runtest"
)

var (
	// jqCheck matches a check of values in a document, and captures the expression and the file.
	jqCheck = regexp.MustCompile(`^jq -e '([^']*)' (\S+)$`)
	// jqPath matches the path of a value in such a check.
	jqPath = regexp.MustCompile(`(?:\.[a-z]\w*(?:\[\])?)+`)
	// awkValue matches what the check with awk prints.
	awkValue = regexp.MustCompile(`^p99: [0-9.]+ ms\n$`)
	// decides matches a command whose exit status may be 3, depending on measured values.
	decides = regexp.MustCompile(`plimsoll (compare|loadline|run) | --(threshold|baseline|max|slo|fail-if)\b`)
)

// mayEnd reports whether a command may end with this exit status on a busy machine: with 4 if it runs plimsoll, and with
// 3 if measured values decide.
func mayEnd(command string, code int) bool {
	if !strings.Contains(command, "plimsoll ") && !strings.HasPrefix(command, "browse ") {
		return code == 0
	}
	if strings.HasPrefix(command, "browse ") && code == 130 {
		return true // it interrupts the run
	}
	return runtest.CompletedStatus(code) || code == 3 && decides.MatchString(command+" ")
}

// mayFail reports whether a command of a document may end with this exit status on a busy machine. A check of measured
// values may fail.
func mayFail(command string, code int, stdout string) bool {
	switch {
	case jqCheck.MatchString(command):
		return code == 1 && stdout == "false\n"
	case strings.HasPrefix(command, "awk "):
		return code == 1 && awkValue.MatchString(stdout)
	}
	return mayEnd(command, code)
}

// valuesExist checks that a check with jq is one of values that the document has: jq takes a missing value for less
// than any number.
func (r *reader) valuesExist(command string) {
	r.t.Helper()
	check := jqCheck.FindStringSubmatch(command)
	if check == nil {
		return
	}
	paths := jqPath.FindAllString(check[1], -1)
	for _, path := range paths {
		there := "jq -e '[" + path + `] | length > 0 and all(type == "number")' ` + check[2]
		if out, err := r.shell(there).CombinedOutput(); err != nil {
			r.t.Errorf("%s: %s has no value %s: %v: %s", command, check[2], path, err, out)
		}
	}
	if len(paths) == 0 {
		r.t.Errorf("%s: it checks no value", command)
	}
}
