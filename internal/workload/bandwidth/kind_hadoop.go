package bandwidth

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hadoop"
)

// readHadoop reads the files and settings of Hadoop.
func (p *place) readHadoop(c *Command) error {
	if file := c.Plan.XMLFile; file != "" {
		if err := p.settings.ReadXML(file); err != nil {
			return fault.New(fault.Usage, "--xmlfile: %w", err)
		}
	}
	for _, assignment := range c.Plan.Properties {
		if err := p.settings.SetProperty(assignment); err != nil {
			return fault.New(fault.Usage, "-D: %w", err)
		}
	}
	if file := c.Plan.TokenFile; file != "" {
		tokens, err := hadoop.ReadTokens(file)
		if err != nil {
			return fault.New(fault.Usage, "--tokenfile: %w", err)
		}
		p.tokens = tokens
	}
	return nil
}

// readAsHadoop applies what Hadoop's settings of S3A say about how a file is read. As in Hadoop, prefetching is a way
// of its own to read a stream, whatever its policy; it leaves those alone that ask for single ranges.
func (r *oneRun) readAsHadoop() error {
	u := r.place.url
	if r.c.Plan.Only == OnlyUpload || !strings.HasPrefix(u.Scheme, "s3") {
		return nil
	}
	keys := func(name string) []string { return []string{"fs.s3a.bucket." + u.Host + "." + name, "fs.s3a." + name} }
	all := r.place.settings
	if r.c.Plan.Policy == "" {
		list, _ := all.Lookup(keys("experimental.input.fadvise")...)
		if err := r.choosePolicy(list); err != nil {
			return fault.New(fault.Usage, "fs.s3a.experimental.input.fadvise: %w", err).
				Hint("use normal, sequential or random, or set --policy")
		}
	}
	prefetch, _, err := all.Bool(keys("prefetch.enabled")...)
	if err != nil {
		return fault.New(fault.Usage, "%w", err)
	}
	if !prefetch || r.policy.ranged() {
		return nil
	}
	r.notes = append(r.notes, fmt.Sprintf("fs.s3a.prefetch.enabled turns the policy %s into prefetch.", r.policy))
	r.policy = Prefetch
	ahead, given, err := all.Int(keys("prefetch.block.count")...)
	switch {
	case err != nil:
		return fault.New(fault.Usage, "%w", err)
	case given && (ahead < 1 || ahead > maxActive):
		return fault.New(fault.Usage, "fs.s3a.prefetch.block.count %d is out of range: it must be between 1 and %d", ahead,
			maxActive)
	}
	r.ahead = int(ahead)
	return nil
}
