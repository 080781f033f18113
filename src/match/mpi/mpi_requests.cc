#include "match/mpi/mpi_requests.h"

#include <algorithm>
#include <deque>
#include <map>

#include "match/mpi/mpi_communicators.h"

// Calls in order, with a list of requests that are open. A recorder that names what a call completed is believed; else
// a wait for all takes all that are open, and any other wait the oldest.

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

/// Requests of one rank that were begun and not completed yet.
class OpenRequests {
 public:
  OpenRequests(const trace::RankTrace& rank, const std::vector<const MpiFunction*>& functions, const Interner& strings)
      : rank_(rank), functions_(functions), strings_(strings) {
    out_.completed_by.assign(rank.event_count(), kNotCompleted);
  }

  MpiRequests find() {
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      const MpiFunction* const function = functions_[e];
      if (function == nullptr) continue;
      if (!function->is_blocking) begin(e);
      else if (const auto listed = rank_.field(Field::requests_text).find(e))
        complete_listed(e, static_cast<StringId>(*listed));
      else complete_assumed(e, function->role);
    }
    out_.open = open_.size();
    return std::move(out_);
  }

 private:
  void begin(EventIndex e) {
    open_.push_back(e);
    if (const auto request = rank_.field(Field::request).find(e)) by_request_[*request] = e;
  }

  void complete(EventIndex begun, EventIndex by) {
    if (out_.completed_by[begun] != kNotCompleted) return;  // by a wait that does not say which it took
    out_.completed_by[begun] = by;
    if (const auto at = std::find(open_.begin(), open_.end(), begun); at != open_.end()) open_.erase(at);
  }

  void complete_listed(EventIndex e, StringId listed) {
    for (const std::int64_t request : parse_list(strings_.text(listed))) {
      const auto begun = by_request_.find(request);
      if (begun != by_request_.end()) complete(begun->second, e);
    }
  }

  void complete_assumed(EventIndex e, MpiRole role) {
    const bool all = role == MpiRole::wait_all;
    const bool one = role == MpiRole::wait_one || role == MpiRole::wait_any || role == MpiRole::wait_some;
    const std::size_t count = all ? open_.size() : one ? std::min<std::size_t>(1, open_.size()) : 0;
    out_.assumed += count;
    for (std::size_t i = 0; i < count; ++i) {
      out_.completed_by[open_.front()] = e;
      open_.pop_front();
    }
  }

  const trace::RankTrace& rank_;
  const std::vector<const MpiFunction*>& functions_;
  const Interner& strings_;
  std::deque<EventIndex> open_;  // in the order in which they were begun
  std::map<std::int64_t, EventIndex> by_request_;
  MpiRequests out_;
};

}  // namespace

bool is_mpi_rank(const trace::RankTrace& rank) {
  return std::any_of(rank.categories.begin(), rank.categories.end(),
                     [](const trace::Category& category) { return category.activity == trace::Activity::mpi_call; });
}

std::vector<const MpiFunction*> functions_of(const trace::Trace& trace, const trace::RankTrace& rank) {
  std::map<StringId, const MpiFunction*> known;
  std::vector<const MpiFunction*> functions;
  functions.reserve(rank.event_count());
  for (const StringId name : rank.name) {
    const auto [at, is_new] = known.try_emplace(name, nullptr);
    if (is_new) at->second = find_mpi_function(trace.strings.text(name));
    functions.push_back(at->second);
  }
  // Starting a persistent request is what MPI_Isend or MPI_Irecv of the same message would be.
  const auto take_for = [&](Field peer, const char* like) {
    for (const EventIndex e : rank.field(peer).event) {
      if (functions[e] != nullptr && functions[e]->name.starts_with("MPI_Start"))
        functions[e] = find_mpi_function(like);
    }
  };
  take_for(Field::destination_rank, "MPI_Isend");
  take_for(Field::source_rank, "MPI_Irecv");
  return functions;
}

MpiRequests find_requests(const trace::RankTrace& rank, const std::vector<const MpiFunction*>& functions,
                          const Interner& strings) {
  return OpenRequests(rank, functions, strings).find();
}

}  // namespace orrery::match
