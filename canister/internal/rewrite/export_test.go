package rewrite

// Unmetered are the options without metering, for measuring what it costs.
func Unmetered(o Options) Options {
	o.unmetered = true
	return o
}
