// Package report shows a run document to people and to other programs: as text, Markdown,
// CSV, a chart, throughput buckets, a bandwidth run's single operations, and the line of a
// live view. (JSON is the document itself: rundoc.Write.)
//
// It is the last stage of the flow plan → engine → record → run document → report and knows
// nothing but the document. What a report says of every workload comes from the document's
// common part; a workload's own part is read from its detail, and a report without it is
// complete but for that. Two overhead runs are compared here, too: CompareOverhead. A document may come from anywhere: text in it is made printable.
//
// Text and Markdown are two renderings of the same sections. Everything is a function of its
// arguments, safe for concurrent use.
package report
