module example.com/tide

go 1.26.0
