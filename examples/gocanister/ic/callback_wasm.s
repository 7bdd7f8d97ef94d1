#include "textflag.h"

// func callbackAddress() uint64
TEXT ·callbackAddress(SB), NOSPLIT, $0-8
	MOVD $ic_callback(SB), ret+0(FP)
	RET
