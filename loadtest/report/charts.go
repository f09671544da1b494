package report

func (r *Run) repeatCharts() []Chart         { return nil }
func (r *Run) transferCharts() []Chart       { return nil }
func sweepCharts([]Point) []Chart            { return nil }
func timeCharts([]Moment, []float64) []Chart { return nil }
