package demo

// Think is what Generate streams.
var Think = think
