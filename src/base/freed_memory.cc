#include "base/freed_memory.h"

#include <cstdlib>  // any header of the C library: it says which one this is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace orrery {

void give_back_freed_memory() {
// The address sanitizer has a heap of its own: the C library's was never set up, and threads that do so at once here
// fail.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  ::malloc_trim(0);
#endif
}

}  // namespace orrery
