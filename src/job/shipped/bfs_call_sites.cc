#include "job/shipped/bfs_call_sites.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery::job {
namespace {

using motif::Group;
using motif::Peer;

struct Call {
  std::string_view operation;
  Group group = Group::none;
  Peer peer = Peer::none;
};
constexpr Call kLocal{"local"};  // whatever the library does there, nobody else sees it
constexpr Call kBarrier{"MPI_Barrier", Group::world};
constexpr Call kReduceRow{"MPI_Allreduce", Group::row}, kReduceColumn{"MPI_Allreduce", Group::column},
    kReduceWorld{"MPI_Allreduce", Group::world};
constexpr Call kBcastRow{"MPI_Bcast", Group::row}, kBcastColumn{"MPI_Bcast", Group::column},
    kBcastWorld{"MPI_Bcast", Group::world};
constexpr Call kGatherRow{"MPI_Allgatherv", Group::row}, kGatherColumn{"MPI_Allgatherv", Group::column};
constexpr Call kSpreadRow{"MPI_Alltoallv", Group::row};
constexpr Call kMirrored{"MPI_Sendrecv", Group::world, Peer::opposite},
    kAroundRow{"MPI_Sendrecv", Group::row, Peer::row_shift};

struct Range {
  std::uint32_t last;
  Call call;
};
constexpr std::array kRanges = {
    Range{2, kReduceRow},    Range{3, kBarrier},       Range{4, kReduceWorld},  Range{5, kReduceRow},
    Range{9, kBcastWorld},   Range{13, kLocal},        Range{14, kMirrored},    Range{15, kGatherColumn},
    Range{16, kMirrored},    Range{20, kLocal},        Range{21, kGatherRow},   Range{22, kBcastRow},
    Range{24, kReduceWorld}, Range{25, kReduceRow},    Range{29, kMirrored},    Range{31, kGatherColumn},
    Range{32, kBcastColumn}, Range{33, kReduceColumn}, Range{36, kSpreadRow},   Range{39, kReduceWorld},
    Range{40, kBarrier},     Range{41, kMirrored},     Range{42, kBcastColumn}, Range{43, kBcastRow},
    Range{44, kMirrored},    Range{46, kGatherColumn}, Range{49, kAroundRow},   Range{50, kReduceWorld},
    Range{51, kBarrier},     Range{53, kReduceWorld},  Range{54, kBcastWorld},  Range{kBfsCallSites, kLocal}};

}  // namespace

motif::Site bfs_call_site(std::uint32_t site) {
  const Call& call =
      std::find_if(kRanges.begin(), kRanges.end() - 1, [&](const Range& range) { return site <= range.last; })->call;
  motif::Site made;
  made.id = site;
  made.operation = call.operation;
  made.group = call.group;
  made.peer = call.peer;
  made.peer_offset = call.peer == Peer::row_shift ? 1 : 0;
  return made;
}

}  // namespace orrery::job
