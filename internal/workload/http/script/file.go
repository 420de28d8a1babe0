package script

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// sort is what errors say of files of requests.
func sort() *yamltree.Sort {
	return &yamltree.Sort{
		Name: "requests file", Begin: "begin it with requests: and below it - url: http://HOST:PORT/PATH",
		Shared:  "put base and headers, which apply to all requests, at the top level",
		Several: "list all requests below requests:",
	}
}

// Options are what a file of requests may refer to.
type Options struct {
	Base string // the URL that paths are of, where the file has none of its own; "" for none
	Env  func(name string) (string, bool)
	Open func(name string) (io.ReadCloser, error) // opens files that it names
	// Pauses says that a recording has the pauses that there were.
	Pauses bool
}

// The keys of a file.
const (
	keyRequests = "requests"
	keySequence = "sequence"
	keyFlows    = "flows"
	keyBase     = "base"
	keyHeaders  = "headers"
	keyTable    = "csv"
)

// Read reads a file of requests, as YAML or as JSON, which is YAML:
//
//	base: http://localhost:8080          # what paths are of
//	headers: {Accept: application/json}  # of every request
//	csv: users.csv                       # ${csv.NAME} is a column of it
//	requests:                            # one of them for each arrival, by weight; or
//	sequence:                            # all of them, one after the other; or
//	flows:                               # several of those, by weight: name, weight, steps
//	  - name: login
//	    method: POST
//	    url: /login
//	    headers: {Content-Type: application/json}
//	    body: '{"user": "${csv.user}"}'  # or body_file: NAME, or form: {user: "${csv.user}"}
//	    check: [status 200, json token]
//	    keep: {token: json token}        # ${token} in what follows
//	    pause: 1s                        # before it, and behind the one before; the first has none
//	    weight: 3                        # of requests; in a sequence none has one
func Read(name string, data []byte, o Options) (*Script, error) {
	root, err := sort().Parse(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{name: name, options: o, script: &Script{}}
	if err := r.read(root); err != nil {
		return nil, err
	}
	return r.script, nil
}

// reader makes a script of a tree.
type reader struct {
	name    string
	options Options
	script  *Script
	known   template.Known
	headers []string // of every request
	base    string
	service Service // of the first request
	named   map[string]bool
}

func (r *reader) wrong(n *yamltree.Node, format string, args ...any) *fault.Error {
	return yamltree.Misread(r.name, n.At, format, args...)
}

func (r *reader) read(root *yamltree.Node) error {
	if root.Form != yamltree.Mapping {
		return r.wrong(root, "the file contains %s, but must contain a mapping", root.Form).Hint("%s", sort().Begin)
	}
	err := r.keys(root, "a requests file", keyBase, keyHeaders, keyTable, keyRequests, keySequence, keyFlows)
	if err != nil {
		return err
	}
	r.base = r.options.Base
	if n := root.Lookup(keyBase); n != nil {
		text, err := r.text(n, keyBase)
		if err != nil {
			return err
		}
		r.base, r.script.Named = text, text
	}
	r.known = template.Known{Env: r.options.Env}
	if err := r.table(root.Lookup(keyTable)); err != nil {
		return err
	}
	if r.headers, err = r.readHeaders(root.Lookup(keyHeaders)); err != nil {
		return err
	}
	if err := r.flows(root); err != nil {
		return err
	}
	if n := root.Lookup(keyTable); n != nil && !r.script.Columned() {
		return r.wrong(n, "no request uses a column of the table %s", n.Text).
			Hint("insert a column with ${csv.%s}, or remove csv", r.known.Columns[0])
	}
	return nil
}

// flows reads what the file has, of the three ways to say it.
func (r *reader) flows(root *yamltree.Node) error {
	given := []string{}
	for _, key := range []string{keyRequests, keySequence, keyFlows} {
		if root.Lookup(key) != nil {
			given = append(given, key)
		}
	}
	switch len(given) {
	case 0:
		return r.wrong(root, "the file contains no requests").Hint("%s", sort().Begin)
	case 1:
	default:
		return r.wrong(root.Lookup(given[1]), "%s and %s cannot be combined", given[0], given[1]).
			Hint("to run several sequences, list them below flows:, each with its steps")
	}
	n := root.Lookup(given[0])
	if n.Form != yamltree.List {
		return r.wrong(n, "%s must be a list, not %s", given[0], n.Form).Hint("start each entry with -")
	}
	if len(n.Items) == 0 {
		return r.wrong(n, "%s is an empty list", given[0]).Hint("add a request: - url: /PATH")
	}
	if err := r.names(given[0], n); err != nil {
		return err
	}
	switch given[0] {
	case keySequence:
		return r.steps("sequence", 1, n.Items)
	case keyRequests:
		for _, item := range n.Items {
			weight, err := r.weight(item)
			if err != nil {
				return err
			}
			if err := r.flow("", weight, []*yamltree.Node{item}); err != nil {
				return err
			}
		}
		return nil
	}
	for i, item := range n.Items {
		if err := r.namedFlow(i, item); err != nil {
			return err
		}
	}
	return nil
}

// namedFlow reads an entry of flows.
func (r *reader) namedFlow(i int, n *yamltree.Node) error {
	if err := r.keys(n, "a flow", "name", "weight", "steps"); err != nil {
		return err
	}
	name := "flow " + strconv.Itoa(i+1)
	if at := n.Lookup("name"); at != nil {
		text, err := r.text(at, "name")
		if err != nil {
			return err
		}
		name = text
	}
	weight, err := r.weight(n)
	if err != nil {
		return err
	}
	steps := n.Lookup("steps")
	if steps == nil || steps.Form != yamltree.List || len(steps.Items) == 0 {
		return r.wrong(n, "flow %q has no steps", name).Hint("add steps: and below it - url: /PATH")
	}
	return r.steps(name, weight, steps.Items)
}

// steps reads requests that are sent one after the other, and so have no weights of their own.
func (r *reader) steps(name string, weight float64, items []*yamltree.Node) error {
	for _, item := range items {
		if at := item.Lookup("weight"); at != nil {
			return r.wrong(at, "weight is not allowed here: every request of a sequence is sent").
				Hint("remove it; flows, and entries of requests:, can have a weight")
		}
	}
	return r.flow(name, weight, items)
}

// flow reads the steps of a flow; without a name it has that of its first step.
func (r *reader) flow(name string, weight float64, items []*yamltree.Node) error {
	f := Flow{Name: name, Weight: weight}
	for i, item := range items {
		step, err := r.step(item)
		if err != nil {
			return err
		}
		if i == 0 && step.Pause > 0 {
			return r.wrong(item.Lookup("pause"), "the first request of a sequence cannot have a pause").
				Hint("remove it; flags such as --rate set when a sequence starts")
		}
		if err := r.checkKept(item, &f, &step); err != nil {
			return err
		}
		f.Steps = append(f.Steps, step)
	}
	if slices.ContainsFunc(r.script.Flows, func(of Flow) bool { return of.Name == name }) {
		return r.wrong(items[0], "two flows are named %q", name).Hint("give each flow a different name")
	}
	if f.Name == "" {
		f.Name = f.Steps[0].Name
	}
	r.script.Flows = append(r.script.Flows, f)
	return nil
}

// checkKept refuses a step of a flow that uses what no step before it keeps: it would be empty.
func (r *reader) checkKept(n *yamltree.Node, f *Flow, step *Step) error {
	for _, t := range step.templates() {
		for _, number := range t.Kept() {
			keeps := func(before Step) bool {
				return slices.ContainsFunc(before.Keep, func(k Keep) bool { return k.Number == number })
			}
			if slices.ContainsFunc(f.Steps, keeps) {
				continue
			}
			place, name := n.At, r.known.Kept[number]
			if found := holding(n, "${"+name); found != nil {
				place = found.At
			}
			return yamltree.Misread(r.name, place, "${%s} is used before a request sets it", name).
				Hint("put the request with keep: {%s: …} first, in the same sequence or flow", name)
		}
	}
	return nil
}

// names finds the names of all that is kept, before the first template is compiled.
func (r *reader) names(key string, list *yamltree.Node) error {
	var find func(n *yamltree.Node, steps bool) error
	find = func(n *yamltree.Node, steps bool) error {
		if steps {
			if list := n.Lookup("steps"); list != nil {
				for _, s := range list.Items {
					if err := find(s, false); err != nil {
						return err
					}
				}
			}
			return nil
		}
		kept := n.Lookup("keep")
		if kept == nil {
			return nil
		}
		if kept.Form != yamltree.Mapping {
			return r.wrong(kept, "keep must be a mapping of names to selectors, not %s", kept.Form).
				Hint("for example keep: {token: json token}")
		}
		for _, e := range kept.Entries {
			if !isName(e.Key) {
				return yamltree.Misread(r.name, e.At, "%q is not a valid name", e.Key).
					Hint("use letters, digits and _; placeholder names such as id and now are reserved")
			}
			if !slices.Contains(r.known.Kept, e.Key) {
				r.known.Kept = append(r.known.Kept, e.Key)
			}
		}
		return nil
	}
	for _, item := range list.Items {
		if err := find(item, key == keyFlows); err != nil {
			return err
		}
	}
	r.script.Kept = r.known.Kept
	return nil
}

// isName reports whether what is kept may be called that.
func isName(s string) bool {
	for _, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != "" && !slices.Contains(template.OfRequest.Names(), s)
}

func (r *reader) weight(n *yamltree.Node) (float64, error) {
	at := n.Lookup("weight")
	if at == nil {
		return 1, nil
	}
	w, err := strconv.ParseFloat(at.Text, 64)
	if err != nil || !(w > 0 && w <= 1e9) {
		return 0, r.wrong(at, "%q is not a valid weight", at.Text).Hint("use a number above 0; a request with twice the " +
			"weight is sent twice as often")
	}
	return w, nil
}

// text is a value that is a text.
func (r *reader) text(n *yamltree.Node, key string) (string, error) {
	if n.Form != yamltree.Text {
		return "", r.wrong(n, "%s must be a string, not %s", key, n.Form).Hint("quote values that contain {, [ or :")
	}
	return n.Text, nil
}

// elsewhere is what a key of other tools is called here; "" for one that is not known.
func elsewhere(key string) string {
	switch strings.ToLower(key) {
	case "assert", "asserts", "assertions", "expect", "expects", "validate":
		return "check"
	case "extract", "capture", "captures", "save", "store":
		return "keep"
	case "json", "data", "payload":
		return "body"
	case "path", "uri", "target", "endpoint":
		return "url"
	case "verb":
		return "method"
	case "header":
		return keyHeaders
	case "sleep", "think", "think_time", "delay", "wait":
		return "pause"
	case "base_url", "baseurl", "host":
		return keyBase
	case "scenarios", "scenario":
		return keyFlows
	case "requests", "sequence":
		return "steps"
	}
	return ""
}

// keys refuses keys that a mapping does not have.
func (r *reader) keys(n *yamltree.Node, what string, known ...string) error {
	if n.Form != yamltree.Mapping {
		return r.wrong(n, "%s must be a mapping, not %s", what, n.Form).Hint("allowed keys: %s", strings.Join(known, ", "))
	}
	for _, e := range n.Entries {
		if slices.Contains(known, e.Key) {
			continue
		}
		err := yamltree.Misread(r.name, e.At, "%q is not a key of %s", e.Key, what)
		if here := elsewhere(e.Key); slices.Contains(known, here) {
			return err.Hint("use %s instead", here)
		}
		if near := fault.Nearest(e.Key, known); near != "" {
			return err.Hint("did you mean %s?", near)
		}
		return err.Hint("allowed keys: %s", strings.Join(known, ", "))
	}
	return nil
}
