// Package report is the kit that shows a run document to people and to other programs: as text,
// Markdown, CSV, a chart, throughput buckets, and the line of a live view. (JSON is the document
// itself: rundoc.Write.)
//
// It is the last stage of the flow plan → engine → record → run document → report and knows nothing
// but the document's common part, and no kind of run: a Kind says what one kind shows in its own way.
// Its Show gets a View, whose methods are the sections and the lines of the answer that any kind may
// have, and returns what embeds the view and has other methods for what this kind says better. A
// column of a table is its head and what stands in its cells, in one value; the percentiles that
// tables show are in one list. A document may come from anywhere: text in it is made printable.
//
// Text and Markdown are two renderings of the same sections, and Brief shows the answer alone, on one
// screen. Text and Brief take the width of the terminal, 40 to 200 columns, and cut off no figure: paragraphs
// are wrapped, and a table that is too wide is folded or stacked; in a file, it is as wide as it is. Everything is a
// function of its arguments, safe for concurrent use.
package report
