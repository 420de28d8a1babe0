package exec

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Client is what a trace tells of the program that made the requests. Of several values, the
// one of the most requests stands first.
type Client struct {
	SDKs      []string // by their names for themselves, such as "aws-sdk-java/2.30.0 md/http#Apache lang/java#17.0.15"
	Modules   []string // of services, with their versions, where the SDK tells them
	Protocols []string // of HTTP
}

// Client finds who made the requests.
func (t *Trace) Client() Client {
	agents, protocols := map[string]int{}, map[string]int{}
	for i := range t.Exchanges {
		agents[t.Exchanges[i].Agent]++
		protocols[t.Exchanges[i].Protocol]++
	}
	sdks, modules := map[string]int{}, map[string]int{}
	for agent, n := range agents {
		name, used := sdk(agent)
		sdks[name] += n
		for _, m := range used {
			modules[m] += n
		}
	}
	c := Client{SDKs: ranked(sdks), Modules: ranked(modules), Protocols: ranked(protocols)}
	slices.Sort(c.Modules)
	return c
}

// ranked are the names that are not "", the one with the highest count first.
func ranked(counts map[string]int) []string {
	delete(counts, "")
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// maxWords bounds what is taken of a name: an SDK has three or four words before "ua/".
const maxWords = 6

// sdk takes from a client's name what tells SDKs apart: the products before "ua/", which is the
// version of the form that Amazon's SDKs have for these names, and the language. The rest is of
// the machine, or of the call. Without "ua/", it is the first product. Of the rest, "api/" has
// the service's module.
func sdk(agent string) (name string, modules []string) {
	words := strings.Fields(agent)
	if len(words) == 0 {
		return "", nil
	}
	products := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "ua/") })
	kept := slices.Clone(words[:min(max(products, 1), maxWords)])
	for _, w := range words[len(kept):] {
		if strings.HasPrefix(w, "lang/") && !strings.HasPrefix(kept[len(kept)-1], "lang/") {
			kept = append(kept, w)
		}
		if module, found := strings.CutPrefix(w, "api/"); found {
			modules = append(modules, strings.Replace(module, "#", " ", 1))
		}
	}
	return strings.Join(kept, " "), modules
}
