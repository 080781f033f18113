#include "causal/host/host_communication.h"

#include <algorithm>

#include "match/communication.h"
#include "match/mpi/mpi_function.h"
#include "match/rank_works.h"

namespace orrery::causal {

std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const trace::ContentOrder& content) {
  std::vector<AskedCollective> asked;
  for (const match::HostWork& work : match::find_rank_works(trace, rank, match::CommunicationNames(trace.strings))) {
    // A call that may be another's would be a cause that was none.
    if (work.call_is_sure) asked.push_back({work.event, work.call});
  }
  std::stable_sort(asked.begin(), asked.end(), [&](const AskedCollective& a, const AskedCollective& b) {
    return content.before(a.collective, b.collective);
  });
  return asked;
}

using trace::EventIndex;
using trace::Field;

HostCommunication::HostCommunication(const trace::Trace& trace, const trace::RankTrace& rank)
    : rank_(rank), by_name_(trace.strings.size(), 0), is_local_(trace.strings.size(), 0) {
  for (StringId id = 0; id < by_name_.size(); ++id) {
    const std::string_view text = trace.strings.text(id);
    if (match::is_host_communication(text)) by_name_[id] = 1, is_empty_ = false;
    if (!text.starts_with("MPI_")) continue;
    const match::MpiFunction* const function = match::find_mpi_function(text);
    is_local_[id] = function != nullptr && function->role == match::MpiRole::local ? 1 : 0;
  }
  // An XLA event that wraps another of its name stands for both, and only the outer one has the arguments: so by name.
  for (const EventIndex e : rank.field(Field::operation_text).event) {
    if (is_of_host(e)) by_name_[rank.name[e]] = 1, is_empty_ = false;
  }
}

}  // namespace orrery::causal
