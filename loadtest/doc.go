// Package loadtest moves generated files through a file server and tells how
// fast and how dearly that went. It is a black-box client: it speaks raw PUT,
// multipart/form-data (RFC 7578), tus 1.0 and GET to any server that does, and
// knows nothing of the one it was built beside.
//
// It owns the work ([Plan], [VersusPlan], [SweepPlan], [RatePlan]), the scenarios,
// the load models and a minimal HTTP/1.1 client over raw TCP. What files contain,
// when transfers begin, the rows that a run leaves and the reports made of them
// are packages of their own.
//
// Two promises shape it. It costs so little that it is not what is measured:
// bodies are sent straight out of one random buffer, downloads are compared in
// place or discarded inside the kernel, and no body is ever held in memory. And
// it does not lie: a transfer counts only when its final answer says so and its
// length and content are right; everything else is a [record.Error] of its own
// kind, and no request is ever sent twice. Only the scenario resume goes on with
// what was cut, which is its purpose.
//
// [Measure], [Versus], [Sweep] and [FindRate] run the work and may be called from
// several goroutines at once; each of them starts its own goroutines and has ended
// them when it returns.
package loadtest
