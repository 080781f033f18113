// How Python waits for the engine: other Python threads go on, and Ctrl-C gives the work up.
#pragma once

#include <functional>

namespace orrery::python {

/// Calls `work` on a thread of its own, without the GIL, and waits for it; what it throws is passed on. The engine does
/// one thing at a time (it uses all cores for it): a second caller waits. A signal whose Python handler raises (Ctrl-C)
/// stops the work at the next place where it can be given up (base/interrupt.h), and the exception is raised once it
/// has. Call with the GIL held.
void work(const std::function<void()>& work);

}  // namespace orrery::python
