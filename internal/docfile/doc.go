// Package docfile reads and writes the JSON documents that Plimsoll keeps, whatever they are of: no more than so many
// bytes, of one schema, with errors that name the file and the line, and whole or not at all on the disk.
//
// rundoc and setdoc say with it what their documents are; others ask it for its errors alone. Its functions keep
// nothing, and may be called at the same time for other files.
package docfile
