// Package search finds the highest load that meets a condition, such as the largest rate that a
// server keeps up with: it doubles the load until one does not meet it, or halves it until one
// does, and then divides what lies between in the middle, by ratio.
//
// It knows no kind and makes no run: whoever searches tries the load that Next names and says by
// Found what came of it. A Search belongs to one goroutine.
package search
