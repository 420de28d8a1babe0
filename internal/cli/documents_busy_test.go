//go:build unix

package cli_test

import (
	"regexp"
	"strings"
)

var (
	// jqCheck is a check of figures in a document, and the file that it is made of.
	jqCheck = regexp.MustCompile(`^jq -e '([^']*)' (\S+)$`)
	// jqPath is the place of a figure in such a check.
	jqPath = regexp.MustCompile(`(?:\.[a-z]\w*(?:\[\])?)+`)
	// awkFigure is what the check with awk says of its figure.
	awkFigure = regexp.MustCompile(`^p99: [0-9.]+ ms\n$`)
)

// mayFail reports whether a command of a document may end like this on a machine that does much else: a check of
// figures may find that they do not meet it, and a search may find no rate.
func mayFail(command string, code int, stdout, stderr string) bool {
	switch {
	case jqCheck.MatchString(command):
		return code == 1 && stdout == "false\n"
	case strings.HasPrefix(command, "awk "):
		return code == 1 && awkFigure.MatchString(stdout)
	case strings.Contains(command, " --max") || strings.HasPrefix(command, "plimsoll loadline "):
		return code == 3 && strings.Contains(stderr, "plimsoll: The SLO is not met at ") || code == 4
	}
	return mayEnd(strings.Fields(command), code)
}

// figuresAreThere checks that a check with jq is one of figures that the document has: jq takes what is missing for
// less than any number.
func (r *reader) figuresAreThere(command string) {
	r.t.Helper()
	check := jqCheck.FindStringSubmatch(command)
	if check == nil {
		return
	}
	paths := jqPath.FindAllString(check[1], -1)
	for _, path := range paths {
		there := "jq -e '[" + path + `] | length > 0 and all(type == "number")' ` + check[2]
		if out, err := r.shell(there).CombinedOutput(); err != nil {
			r.t.Errorf("%s: %s has no figure %s: %v: %s", command, check[2], path, err, out)
		}
	}
	if len(paths) == 0 {
		r.t.Errorf("%s: it checks no figure", command)
	}
}
