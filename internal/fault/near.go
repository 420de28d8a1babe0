package fault

import (
	"slices"
	"strings"
)

// EditDistance is how many single errors of spelling lie between a and b, in bytes: one too many, one missing, another
// one, or two neighbours swapped (optimal string alignment: nothing that was swapped is changed again).
func EditDistance(a, b string) int {
	row := []int{0}
	for j := range len(b) {
		row = append(row, j+1)
	}
	before, last := slices.Clone(row), slices.Clone(row)
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Nearest is the name that was probably meant by a word, for a hint: the one with the fewest errors of spelling
// between them, and of equally near ones the first. Where none is near it is the first that begins with the word, or
// "". Capitals are no errors. One error is near in a word of up to three letters, two in longer ones, and up to four
// in long ones.
func Nearest(word string, names []string) string {
	if word == "" {
		return ""
	}
	word = strings.ToLower(word)
	allowed := min(max(2, len(word)/3), 4)
	if len(word) <= 3 {
		allowed = 1
	}
	best, nearest := allowed+1, ""
	for _, name := range names {
		if d := EditDistance(word, strings.ToLower(name)); d < best {
			best, nearest = d, name
		}
	}
	if nearest != "" {
		return nearest
	}
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(strings.ToLower(name), word) })
	if i < 0 {
		return ""
	}
	return names[i]
}
