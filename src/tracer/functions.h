// The functions that are recorded, by number within a process; files have their names.
#pragma once

#include <cstdint>

namespace orrery::tracer {

enum class Function : std::uint16_t {
#define ORRERY_MPI_CALL(name, parameters, arguments, before, ...) name,
#include "tracer/calls.inc"
#undef ORRERY_MPI_CALL
  Init,
  Init_thread,
  Finalize,
  Pcontrol,
  Abort,
  count_
};

inline constexpr const char* kFunctionNames[] = {
#define ORRERY_MPI_CALL(name, parameters, arguments, before, ...) "MPI_" #name,
#include "tracer/calls.inc"
#undef ORRERY_MPI_CALL
    "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol", "MPI_Abort"};
static_assert(sizeof kFunctionNames / sizeof kFunctionNames[0] == static_cast<unsigned>(Function::count_));

}  // namespace orrery::tracer
