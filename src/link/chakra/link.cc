#include "link/chakra/link.h"

namespace orrery::link::chakra {

Result<trace::HostTrace> link(trace::HostTrace host, trace::Trace&, const trace::RankTrace&, Diagnostics&) {
  return Error{"not built yet", host.path};
}

}  // namespace orrery::link::chakra
