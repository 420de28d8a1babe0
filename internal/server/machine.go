package server

// assumedMemory is what a machine is taken to have that does not say it.
const assumedMemory = 4 << 30
