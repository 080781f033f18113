#include "match/communication.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "match/mpi/mpi_requests.h"
#include "match/ruled_works.h"

// Names are the only thing that all recordings have: of kernels, of operators, of what a profiler says about a
// collective. They are compared without case and separators, and longer names before those that are part of them.

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

/// The first and the last to start, and the last to end, of each clock.
void keep_extremes(const trace::RankTrace& rank, Column<std::uint8_t>& is_kept) {
  constexpr EventIndex kNone = ~EventIndex{0};
  struct Extremes {
    EventIndex first = kNone, last = kNone, last_end = kNone;
  };
  // As many as a lane's clock can name.
  std::array<Extremes, 256> clocks;
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    Extremes& clock = clocks[rank.lanes[rank.lane[event]].clock];
    if (clock.first == kNone || rank.start[event] < rank.start[clock.first]) clock.first = event;
    if (clock.last == kNone || rank.start[event] > rank.start[clock.last]) clock.last = event;
    if (clock.last_end == kNone || rank.end(event) > rank.end(clock.last_end)) clock.last_end = event;
  }
  for (const Extremes& clock : clocks) {
    for (const EventIndex event : {clock.first, clock.last, clock.last_end}) {
      if (event != kNone) is_kept[event] = 1;
    }
  }
}

}  // namespace

Column<std::uint8_t> communication_events(const trace::Trace& trace, const trace::RankTrace& rank) {
  // An MPI program's trace is its communication, and every call may complete or make what another needs.
  // And which those are is known only when all ranks were looked at.
  if (is_mpi_rank(rank)) return Column<std::uint8_t>(rank.event_count(), 1);
  Column<std::uint8_t> is_kept(rank.event_count(), 0);
  for (const Field field :
       {Field::collective_text, Field::group_name_text, Field::group_ranks_text, Field::tracer_clock}) {
    for (const EventIndex event : rank.field(field).event) is_kept[event] = 1;
  }
  std::vector<std::uint8_t> is_call(trace.strings.size());
  for (StringId id = 0; id < is_call.size(); ++id)
    is_call[id] = is_call_of_communication(trace.strings.text(id)) ? 1 : 0;
  for (EventIndex event = 0; event < rank.event_count(); ++event) is_kept[event] |= is_call[rank.name[event]];
  for (const RuledWork& work : find_ruled_works(trace, rank)) is_kept[work.event] = 1;
  // The span of each clock has to survive, whatever else is left out.
  keep_extremes(rank, is_kept);
  return is_kept;
}

namespace {

using workload::ActivityKind;
using workload::Collective;

// Lower case, without _ and -.
std::string plain_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_' && c != '-') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

}  // namespace

bool names_communication(std::string_view name) {
  for (const std::string_view prefix : {"c10d", "nccl:", "rccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool names_any_communication(const Interner& strings) {
  for (StringId text = 0; text < strings.size(); ++text) {
    const std::string_view name = strings.text(text);
    if (names_communication(name) || name == "record_param_comms" || library_kernel(name) == LibraryKernel::entry)
      return true;
  }
  return false;
}

LibraryKernel library_kernel(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name.starts_with("hccl") || name.starts_with("mscclKernel")) return LibraryKernel::entry;
  if (!has("nccl") && !has("rccl") && !has("Nccl")) return LibraryKernel::none;
  // Since NCCL 2.4 and since 2.19. They may be arguments of a template.
  // On symmetric memory since 2.27.
  if (has("ncclKernel") || has("ncclDevKernel") || has("ncclSymkDevKernel") || has("rcclKernel"))
    return LibraryKernel::entry;
  // "ncclAllReduceRingLLKernel_sum_f32", "void rccl::ReduceScatter<float>".
  const bool says_kind =
      communication_kind(name).has_value() && ((name.starts_with("nccl") && has("Kernel")) || has("ccl::"));
  return says_kind ? LibraryKernel::entry : LibraryKernel::mentioned;
}

std::optional<CommunicationKind> communication_kind(std::string_view name) {
  const std::string text = plain_name(name);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  // A name that is part of another comes after it.
  static constexpr std::pair<std::string_view, Collective> kCollectives[] = {
      {"allreduce", Collective::all_reduce}, {"alltoall", Collective::all_to_all},
      {"allgather", Collective::all_gather}, {"reducescatter", Collective::reduce_scatter},
      {"broadcast", Collective::broadcast},  {"barrier", Collective::barrier},
      {"gather", Collective::gather},        {"scatter", Collective::scatter},
      {"reduce", Collective::reduce}};
  for (const auto& [part, collective] : kCollectives) {
    if (has(part)) return CommunicationKind{ActivityKind::collective, collective};
  }
  // Both directions in one kernel: neither a send nor a receive.
  if (has("sendrecv")) return std::nullopt;
  if (has("send")) return CommunicationKind{ActivityKind::send, Collective::all_reduce};
  if (has("recv")) return CommunicationKind{ActivityKind::recv, Collective::all_reduce};
  return std::nullopt;
}

std::int64_t element_bytes(std::string_view dtype) {
  if (dtype.starts_with("c10::"))
    dtype.remove_prefix(5);  // operators name types as C++ does, collectives as PyTorch does
  const std::string text = plain_name(dtype);
  if (text.find("float8") != std::string::npos) return 1;
  static constexpr std::pair<std::string_view, std::int64_t> kSizes[] = {{"float", 4},
                                                                         {"float32", 4},
                                                                         {"double", 8},
                                                                         {"float64", 8},
                                                                         {"half", 2},
                                                                         {"float16", 2},
                                                                         {"bfloat16", 2},
                                                                         {"int", 4},
                                                                         {"int32", 4},
                                                                         {"long", 8},
                                                                         {"int64", 8},
                                                                         {"long int", 8},
                                                                         {"short", 2},
                                                                         {"short int", 2},
                                                                         {"int16", 2},
                                                                         {"byte", 1},
                                                                         {"char", 1},
                                                                         {"signed char", 1},
                                                                         {"unsigned char", 1},
                                                                         {"int8", 1},
                                                                         {"uint8", 1},
                                                                         {"bool", 1},
                                                                         {"uint16", 2},
                                                                         {"uint32", 4},
                                                                         {"uint64", 8},
                                                                         {"complexfloat", 8},
                                                                         {"complexdouble", 16},
                                                                         {"complex<float>", 8},
                                                                         {"complex<double>", 16}};
  for (const auto& [name, bytes] : kSizes) {
    if (text == name) return bytes;
  }
  return 0;
}

}  // namespace orrery::match
