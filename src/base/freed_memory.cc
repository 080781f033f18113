#include "base/freed_memory.h"

#include <cstdlib>  // any header of the C library: it says which one this is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace orrery {

void give_back_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace orrery
