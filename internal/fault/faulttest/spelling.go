package faulttest

// OneError are the words with one error of spelling in name: a letter too many, one missing, another one, or two
// neighbours swapped. The letters that get in are a few that stand for all.
func OneError(name string) []string {
	var words []string
	seen := map[string]bool{name: true}
	add := func(parts ...string) {
		word := ""
		for _, p := range parts {
			word += p
		}
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	for i := range len(name) + 1 {
		for _, letter := range []string{"a", "e", "s", "x", "1"} {
			add(name[:i], letter, name[i:])
			if i < len(name) {
				add(name[:i], letter, name[i+1:])
			}
		}
		if i < len(name) {
			add(name[:i], name[i+1:])
		}
		if i+1 < len(name) {
			add(name[:i], name[i+1:i+2], name[i:i+1], name[i+2:])
		}
	}
	return words
}
