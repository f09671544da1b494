package loadtest

// TesterCPU lets benchmarks read the processor time of this process.
var TesterCPU = testerCPU
