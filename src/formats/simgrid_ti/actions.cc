#include "formats/simgrid_ti/actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numbers.h"

// Actions of a rank come one after the other: a frontier holds what the next one depends on. A blocking action replaces
// the frontier by itself; one that does not block is kept under its source, destination and tag until a wait adds it.

namespace orrery::simgrid_ti {
namespace {

using workload::ActivityKind;
using workload::Collective;

/// What SimGrid numbers its datatypes by: double, int, char, short, long, float, byte, long long, ...
constexpr std::array<std::int64_t, 30> kTypeBytes = {8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4,  8,  8, 16,
                                                     4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8};

// Below the largest number of 64 bits, so that rounding a double cannot go beyond it.
constexpr double kMostNumber = 4e18;
constexpr std::int64_t kLeastPeer =
    -1000;  // MPI_ANY_SOURCE is -333 there, MPI_ANY_TAG -444, MPI_PROC_NULL -666; other writers have -1
constexpr std::int64_t kNobody = -666;

/// Counts may be written as "1e6".
bool to_number(std::string_view text, double& out) { return parse_number(text, out) && std::abs(out) <= kMostNumber; }

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  // The largest number, so that it is conspicuous rather than small.
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

struct CollectiveName {
  std::string_view name;
  Collective collective;
};
constexpr CollectiveName kCollectives[] = {{"barrier", Collective::barrier},
                                           {"bcast", Collective::broadcast},
                                           {"reduce", Collective::reduce},
                                           {"allreduce", Collective::all_reduce},
                                           {"alltoall", Collective::all_to_all},
                                           {"alltoallv", Collective::all_to_all},
                                           {"gather", Collective::gather},
                                           {"gatherv", Collective::gather},
                                           {"allgather", Collective::all_gather},
                                           {"allgatherv", Collective::all_gather},
                                           {"scatter", Collective::scatter},
                                           {"scatterv", Collective::scatter},
                                           {"reducescatter", Collective::reduce_scatter},
                                           // A scan is priced as what it is nearest to, with a remark.
                                           {"scan", Collective::all_reduce},
                                           {"exscan", Collective::all_reduce}};

}  // namespace

bool is_action(std::string_view name) {
  static constexpr std::string_view kOthers[] = {
      "init",  "finalize", "location", "comm_size", "comm_split", "comm_dup", "compute", "sleep",   "send",
      "isend", "recv",     "irecv",    "sendRecv",  "sendrecv",   "wait",     "test",    "waitall", "waitAll"};
  return std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers) ||
         std::any_of(std::begin(kCollectives), std::end(kCollectives),
                     [&](const CollectiveName& known) { return known.name == name; });
}

Error ActionProgram::error(std::string message) const {
  return {"rank " + std::to_string(rank_) + ", " + std::string(action_->name) + ": " + std::move(message), path_,
          action_->offset, "docs/formats/simgrid_ti.md has the arguments"};
}

Status ActionProgram::remark(const DiagnosticKind& kind) {
  if (diagnostics_ == nullptr) return error(kind.summary);
  diagnostics_->add(
      kind, [&] { return path_ + ": byte " + std::to_string(action_->offset) + ": " + std::string(action_->name); });
  return {};
}

bool ActionProgram::number(std::size_t i, std::int64_t least, std::int64_t& out) const {
  double value = 0;
  if (i >= action_->arguments.size() || !to_number(action_->arguments[i], value)) return false;
  out = std::llround(value);
  return out >= least;
}

bool ActionProgram::element(std::size_t i, std::int64_t& out) const {
  out = default_bytes_;
  if (i >= action_->arguments.size()) return true;
  std::int64_t type = 0;
  if (!number(i, 0, type) || static_cast<std::size_t>(type) >= kTypeBytes.size()) return false;
  out = kTypeBytes[static_cast<std::size_t>(type)];
  return true;
}

bool ActionProgram::counts(std::size_t first, std::vector<std::int64_t>& out) const {
  out.assign(static_cast<std::size_t>(ranks_), 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!number(first + i, 0, out[i])) return false;
  }
  return true;
}

std::uint64_t ActionProgram::add(workload::Activity activity) {
  activity.id = ++last_id_;
  if (activity.name == 0) activity.name = strings_.intern(action_->name);
  builder_.add(activity);
  for (const std::uint64_t id : frontier_) builder_.depend(id, workload::Dependency::data);
  return activity.id;
}

Status ActionProgram::take(const Action& action) {
  action_ = &action;
  const std::string_view name = action.name;
  if (name == "init") {
    // "init 1": a trace of MPE, whose elements are doubles unless they say otherwise; others are of bytes.
    default_bytes_ = action.arguments.empty() ? 1 : 8;
    return {};
  }
  if (name == "finalize" || name == "location") return {};
  if (name == "comm_size" || name == "comm_split" || name == "comm_dup") return remark(kWithoutEffect);
  if (name == "compute") return take_compute(false);
  if (name == "sleep") return take_compute(true);
  if (name == "send" || name == "isend") return take_message(true, name == "send");
  if (name == "recv" || name == "irecv") return take_message(false, name == "recv");
  if (name == "sendRecv" || name == "sendrecv") return take_exchange();
  if (name == "wait" || name == "test") return take_wait(name == "test");
  if (name == "waitall" || name == "waitAll") {
    // In the order of their keys, which is the same every time.
    for (const auto& [key, ids] : open_) frontier_.insert(frontier_.end(), ids.begin(), ids.end());
    open_.clear();
    return {};
  }
  return take_collective();
}

Status ActionProgram::take_compute(bool is_sleep) {
  double amount = 0;
  if (action_->arguments.empty() || !to_number(action_->arguments[0], amount) || amount < 0)
    return error("it needs an amount of at least 0");
  workload::Activity activity;
  activity.kind = ActivityKind::compute;
  if (is_sleep) {
    // The limit keeps picoseconds within 64 bits.
    if (amount > 1e6) return error("it sleeps longer than a million seconds");
    activity.duration_ps = std::llround(amount * 1e12);
  } else {
    activity.operations = std::llround(amount);
    activity.flags = workload::activity::kHasOperations;
  }
  go_on_after({add(activity)});
  return {};
}

Status ActionProgram::take_message(bool is_send, bool is_blocking) {
  std::int64_t peer = 0, tag = 0, count = 0, bytes = 0;
  if (!number(0, kLeastPeer, peer) || !number(1, kLeastPeer, tag) || !number(2, 0, count) || !element(3, bytes))
    return error("it needs a peer, a tag, a count and perhaps a datatype");
  // MPI_PROC_NULL: nothing is sent, and nothing waits.
  if (peer == kNobody) return {};
  if (peer >= ranks_ || (is_send && peer < 0)) return error("there is no rank " + std::to_string(peer));
  workload::Activity activity;
  activity.kind = is_send ? ActivityKind::send : ActivityKind::recv;
  activity.flags = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag;
  activity.peer = peer < 0 ? workload::kAnyPeer : static_cast<std::int32_t>(peer);
  activity.tag = tag < 0 ? workload::kAnyTag : tag;
  // A receive has room for at least what comes; who sends decides how much it is.
  if (!is_send) activity.flags = workload::activity::kHasPeer | workload::activity::kHasTag;
  activity.bytes = times(count, bytes);
  const std::uint64_t id = add(activity);
  if (is_blocking) go_on_after({id});
  else open_[is_send ? RequestKey(rank_, peer, tag) : RequestKey(peer, rank_, tag)].push_back(id);
  return {};
}

/// sendRecv <send count> <destination> <receive count> <source> [types]
Status ActionProgram::take_exchange() {
  std::int64_t send_count = 0, destination = 0, receive_count = 0, source = 0, send_bytes = 0, receive_bytes = 0;
  if (!number(0, 0, send_count) || !number(1, kLeastPeer, destination) || !number(2, 0, receive_count) ||
      !number(3, kLeastPeer, source) || !element(4, send_bytes) || !element(5, receive_bytes))
    return error("it needs a count and a destination, a count and a source, and perhaps two datatypes");
  if (destination >= ranks_ || source >= ranks_)
    return error("there is no rank " + std::to_string(std::max(destination, source)));
  // Both begin at once, and what follows waits for both.
  std::vector<std::uint64_t> ids;
  workload::Activity activity;
  activity.flags = workload::activity::kHasPeer | workload::activity::kHasTag;
  if (destination >= 0) {
    workload::Activity send = activity;
    send.kind = ActivityKind::send;
    send.flags |= workload::activity::kHasBytes;
    send.peer = static_cast<std::int32_t>(destination);
    send.bytes = times(send_count, send_bytes);
    ids.push_back(add(send));
  }
  if (source != kNobody) {
    workload::Activity receive = activity;
    receive.kind = ActivityKind::recv;
    receive.peer = source < 0 ? workload::kAnyPeer : static_cast<std::int32_t>(source);
    receive.tag = source < 0 ? workload::kAnyTag : 0;
    receive.bytes = times(receive_count, receive_bytes);
    ids.push_back(add(receive));
  }
  if (!ids.empty()) go_on_after(std::move(ids));
  return {};
}

Status ActionProgram::take_wait(bool is_test) {
  std::int64_t source = 0, destination = 0, tag = 0;
  if (!number(0, kLeastPeer, source) || !number(1, kLeastPeer, destination) || !number(2, kLeastPeer, tag))
    return error("it needs a source, a destination and a tag");
  // A test may find nothing: whoever needs the message waits for it.
  if (is_test) return {};
  const auto found = open_.find({source, destination, tag});
  if (found == open_.end()) return remark(kNothingToWaitFor);
  // First in, first out, as MPI matches requests that look alike.
  frontier_.push_back(found->second.front());
  found->second.erase(found->second.begin());
  if (found->second.empty()) open_.erase(found);
  return {};
}

void ActionProgram::add_operations(std::size_t argument) {
  std::int64_t operations = 0;
  if (!number(argument, 1, operations)) return;
  workload::Activity activity;
  activity.name = strings_.intern("reduction");
  activity.kind = ActivityKind::compute;
  activity.operations = operations;
  activity.flags = workload::activity::kHasOperations;
  go_on_after({add(activity)});
}

Status ActionProgram::take_collective() {
  const auto* const known = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                         [&](const CollectiveName& c) { return c.name == action_->name; });
  if (known == std::end(kCollectives)) return remark(kUnknownAction);
  if (known->name == "scan" || known->name == "exscan") {
    if (Status remarked = remark(kScan); !remarked) return remarked;
  }
  workload::Activity activity;
  activity.kind = ActivityKind::collective;
  activity.collective = known->collective;
  activity.flags = workload::activity::kHasBytes;
  list_.clear();
  if (Status counted = take_counts(known->name, activity); !counted) return counted;
  const std::uint64_t id = add(activity);
  // What others get of a scatter is known to its root only: kept for later, when all ranks are read.
  if (known->name == "scatterv")
    scatters_.push_back({collectives_, static_cast<std::size_t>(id - 1), static_cast<std::size_t>(activity.peer)});
  ++collectives_;
  // Equal parts need no list.
  const bool equal = std::adjacent_find(list_.begin(), list_.end(), std::not_equal_to<>()) == list_.end();
  if (!equal) builder_.set_parts(list_);
  go_on_after({id});
  const std::string_view name = known->name;
  // The computation of a reduction is an action of its own, behind the communication.
  if (name == "reduce" || name == "allreduce" || name == "scan" || name == "exscan") add_operations(1);
  if (name == "reducescatter") add_operations(static_cast<std::size_t>(ranks_));
  return {};
}

/// Behind the counts there may be types, or displacements, or both: told apart by how many there are, as SimGrid does.
std::size_t ActionProgram::type_of_allgatherv() const {
  const auto all = static_cast<std::size_t>(ranks_);
  const std::size_t after = action_->arguments.size() < all + 1 ? 0 : action_->arguments.size() - all - 1;
  return after > 2 && after <= all ? action_->arguments.size() : all + 1;
}

Status ActionProgram::take_counts(std::string_view name, workload::Activity& activity) {
  const auto all = static_cast<std::size_t>(ranks_);
  std::int64_t count = 0, bytes = 0, root = 0;
  std::size_t root_at = 0, type_at = 0;  // 0: it has none
  const bool has_list = name == "alltoallv" || name == "scatterv" || name == "reducescatter";
  if (name == "barrier") return {};
  if (name == "bcast") root_at = 1, type_at = 2;
  else if (name == "reduce" || name == "gather" || name == "scatter") root_at = 2, type_at = 3;
  else if (name == "gatherv" || name == "scatterv") root_at = all + 1, type_at = all + 2;
  else if (name == "reducescatter") type_at = all + 1;
  else if (name == "allgatherv") type_at = type_of_allgatherv();
  else if (name == "alltoallv") type_at = 2 * all + 2;
  else type_at = 2;  // allreduce, scan, alltoall, allgather
  if (!element(type_at, bytes)) return error("its datatype is not known");
  if (name == "alltoallv" ? !counts(1, list_) : has_list && !counts(0, list_))
    return error("it needs a count for each rank");
  if (!has_list && !number(0, 0, count)) return error("it needs a count");
  if (root_at != 0 && root_at < action_->arguments.size()) {
    if (!number(root_at, 0, root) || root >= ranks_) return error("its root is no rank");
  }
  if (root_at != 0) {
    activity.peer = static_cast<std::int32_t>(root);
    activity.flags |= workload::activity::kHasPeer;
  }
  activity.bytes = times(count, bytes);
  // Counts are per member there, and of all members in a program.
  if (name == "alltoall" || name == "scatter") activity.bytes = times(activity.bytes, ranks_);
  if (!has_list) return {};
  std::int64_t total = 0;
  for (std::int64_t& part : list_) {
    part = times(part, bytes);
    if (__builtin_add_overflow(total, part, &total)) total = std::numeric_limits<std::int64_t>::max();
  }
  activity.bytes = total;
  return {};
}

}  // namespace orrery::simgrid_ti
