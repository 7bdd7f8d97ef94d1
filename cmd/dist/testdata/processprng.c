/* ProcessPrng of bcryptprimitives.dll, which Go's runtime needs and Wine 8 does not have, by the generator of advapi32. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T size) {
    while (size > 0) {
        ULONG part = size > 0x10000 ? 0x10000 : (ULONG)size;
        if (!SystemFunction036(buffer, part))
            return FALSE;
        buffer += part;
        size -= part;
    }
    return TRUE;
}
