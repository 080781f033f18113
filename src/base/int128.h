// 128-bit integers for intermediate products; the compilers we support have them, the standard does not.
#pragma once

namespace orrery {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace orrery
