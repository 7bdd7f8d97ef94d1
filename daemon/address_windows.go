package daemon

import "golang.org/x/sys/windows"

// addressInUse is what the system says of a port that is taken.
const addressInUse = windows.WSAEADDRINUSE
