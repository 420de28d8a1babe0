package report

import "strings"

type column = head

// columnsOf makes columns from heads: "<" before a head aligns it left, "|" makes it a column
// of bars, and nothing aligns it right, as figures are.
func columnsOf(heads ...string) []head {
	var list []head
	for _, h := range heads {
		switch {
		case strings.HasPrefix(h, "<"):
			list = append(list, head{h[1:], left})
		case strings.HasPrefix(h, "|"):
			list = append(list, head{h[1:], bars})
		default:
			list = append(list, head{h, right})
		}
	}
	return list
}

func (t *Table) add(cells ...string) { t.rows = append(t.rows, cells) }
