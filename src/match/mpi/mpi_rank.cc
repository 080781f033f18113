#include "match/mpi/mpi_rank.h"

namespace orrery::match {

MpiRank::MpiRank(Interner& strings) : strings_(strings) {
  trace.categories.push_back({strings.intern("mpi"), trace::Activity::mpi_call});
  trace.lanes.push_back({{}, {}, strings.intern("MPI"), strings.intern("main thread")});
}

trace::EventIndex MpiRank::add_call(std::string_view function, TimePs start, TimePs duration, std::uint8_t flags,
                                    trace::SourcePosition position) {
  function_ = find_mpi_function(function);
  const trace::EventRow row{.start = start,
                            .duration = duration,
                            .name = strings_.intern(function),
                            .flags = static_cast<std::uint8_t>(trace::kHasDuration | trace::kHasCategory | flags)};
  last_ = trace.append_event(row, position);
  if (function_ != nullptr && function_->role == MpiRole::collective)
    set_text(trace::Field::collective_text, function_->kind);
  return last_;
}

void MpiRank::set_communicator(std::uint64_t handle, const std::vector<std::int64_t>& members) {
  communicators.add(last_, handle, members, function_ != nullptr && function_->role == MpiRole::collective);
}

}  // namespace orrery::match
