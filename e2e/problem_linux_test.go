package e2e_test

import "testing"

// problem is the body of an answer that is no success.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// wantProblem fails the test unless the answer has the status and says in the
// standard form what is wrong (RFC 9457).
func (a answer) wantProblem(t testing.TB, status int) problem {
	t.Helper()
	var p problem
	a.want(t, status).decode(t, &p)
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("the refusal is %q, want a problem", kind)
	}
	if p.Status != a.status || p.Title == "" || p.Detail == "" {
		t.Errorf("the problem is %+v, want status %d and texts", p, a.status)
	}
	return p
}

// unasked fails the test when the server has asked for the body before it gave
// its final answer.
func (a answer) unasked(t testing.TB) {
	t.Helper()
	if len(a.interim) > 0 {
		t.Errorf("statuses %v came before %d", a.interim, a.status)
	}
}
