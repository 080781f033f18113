// Memory that was freed but is still with the process.
#pragma once

namespace orrery {

/// Gives back to the system what malloc keeps of it, also between blocks that are in use. For the moment after much of
/// small size was freed and before much else is needed; takes as long as unmapping it. Nothing where the C library has
/// no such call.
void give_back_freed_memory();

}  // namespace orrery
