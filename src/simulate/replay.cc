#include "simulate/replay.h"

namespace orrery::simulate {

Result<Schedule> replay(const graph::Workload&, const ReplayOptions&) { return Error{"not built yet"}; }

TimePs recorded_span(const graph::Program&) { return 0; }

}  // namespace orrery::simulate
