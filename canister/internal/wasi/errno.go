package wasi

// errno is the result of a function (WASI preview 1, "errno").
type errno uint32

// The errors that functions return.
const (
	success    errno = 0
	badFile    errno = 8  // EBADF: the descriptor is not open, or not for this
	fault      errno = 21 // EFAULT: memory out of bounds
	invalid    errno = 28 // EINVAL
	notSupport errno = 58 // ENOTSUP: a message of this kind cannot wait
	noSeek     errno = 70 // ESPIPE: a stream has no offset
	notCapable errno = 76 // ENOTCAPABLE: a right that the descriptor does not have
)
