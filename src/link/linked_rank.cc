#include "link/linked_rank.h"

namespace orrery::link {

Result<LinkedRank> link_rank(const trace::Trace&, const trace::RankTrace& rank, const trace::HostTrace*, Interner&, const LinkOptions&,
                             Diagnostics&) {
  return Error{"not built yet", rank.source.path};
}

}  // namespace orrery::link
