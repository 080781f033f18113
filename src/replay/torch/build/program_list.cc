#include "replay/torch/build/program_list.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "graph/longest_path.h"
#include "replay/torch/build/storage_table.h"
#include "replay/torch/edits/edited_program.h"
#include "replay/torch/source/completions.h"
#include "replay/torch/write/entry_writer.h"

// Activities in the order of their starts; work goes to the stream of its lane, communication to the host's thread with
// buffers of the recorded sizes, of which equal ones are shared.

namespace orrery::replay::torch {
namespace {

using workload::ActivityKind;
using workload::Collective;

constexpr std::int64_t kElementBytes = 4;
constexpr std::int64_t kMostElements = std::int64_t{1}
                                       << 38;  // a terabyte: no device has it, and what all ranks have together fits

/// How torch.distributed calls it, and how many elements go in and come out for `count` of Program::bytes among
/// `ranks`.
struct CollectiveForm {
  std::string_view kind;
  std::int64_t in, out;
};

CollectiveForm form_of(Collective collective, std::int64_t count, std::int64_t ranks) {
  const std::int64_t share = std::max<std::int64_t>(1, count / ranks);
  switch (collective) {
    case Collective::all_reduce: return {"all_reduce", count, count};
    case Collective::reduce: return {"reduce", count, count};
    case Collective::broadcast: return {"broadcast", count, count};
    // Gathering to one and scattering from one move what the tensor forms of everybody do, and have one buffer on each
    // side as those.
    case Collective::all_gather:
    case Collective::gather: return {"all_gather_into_tensor", count, count * ranks};
    case Collective::reduce_scatter:
    case Collective::scatter: return {"reduce_scatter_tensor", share * ranks, share};
    case Collective::all_to_all: return {"all_to_all_single", share * ranks, share * ranks};
    case Collective::barrier: break;
  }
  return {"barrier", 0, 0};
}

class ProgramList {
 public:
  ProgramList(const workload::Workload& workload, std::size_t place, std::int64_t rank,
              std::vector<std::vector<std::int64_t>>& groups, const EmitOptions& options, ProgramEdits edits)
      : workload_(workload),
        program_(workload.program(place)),
        place_(place),
        groups_(groups),
        options_(options),
        edits_(std::move(edits)) {
    list_.rank = rank;
    list_.edited = edits_.list;
  }

  OperationList run() {
    std::map<std::int32_t, std::uint32_t> streams;
    for (std::size_t i = 0; i < program_.size(); ++i) {
      if (is_program_work(program_, i)) streams.emplace(program_.lanes[i], 0);
    }
    for (auto& [lane, number] : streams) {
      number = static_cast<std::uint32_t>(list_.streams.size());
      list_.streams.push_back(lane);
    }
    list_.has_device = !streams.empty();
    for (const std::uint32_t i : in_order()) {
      if (is_program_work(program_, i)) add_work(i, streams[program_.lanes[i]]);
      else if (is_program_transfer(program_, i)) add_communication(i);
    }
    if (list_.entries.empty()) return std::move(list_);
    // Completions need all entries, the peak needs completions, and only then may streams be numbered again.
    add_completions(list_);
    list_.peak_bytes = peak_bytes(list_);
    put_busiest_stream_first(list_);
    list_.threads = entries_.threads();
    return std::move(list_);
  }

 private:
  // By when they started: as recorded, or as the dependencies have it.
  [[nodiscard]] std::vector<std::uint32_t> in_order() const {
    const graph::Solution solution = graph::solve(program_.dependencies);
    std::vector<TimePs> start(program_.size());
    const bool is_recorded = !program_.starts_ps.values().empty();
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = is_recorded ? program_.starts_ps[i] : solution.start(static_cast<graph::NodeId>(i));
    }
    std::vector<std::uint32_t> order(program_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; });
    return order;
  }

  void add_work(std::uint32_t i, std::uint32_t stream) {
    const TimePs duration = program_.duration_ps(i), edited = edits_.durations.empty() ? duration : edits_.durations[i];
    // Removed work counts neither as recorded nor as replaced.
    if (edited == RankEdits::kRemoved) return;
    const std::string_view name = workload_.strings.text(program_.names[i]);
    list_.device_time += duration;
    ReplacedWork& replaced = list_.replaced[std::string(name)];
    ++replaced.count;
    replaced.duration += edited;
    if (options_.communication_only) return;
    Entry& entry = entries_.add(Entry::Kind::work, entries_.thread_number(0), stream, {});
    entry.number = 1;
    entry.text = entries_.name_number(name);
    entry.duration = edited;
  }

  void add_communication(std::uint32_t i) {
    const std::uint32_t group = group_of(i);
    const TransferEdit edit = edits_.transfers.empty() ? TransferEdit() : edits_.transfers[i];
    if (!edits_.transfers.empty()) note_side(i, group, edit);
    // A factor of 0 means that the transfer is taken away.
    if (options_.compute_only || edit.factor == 0) return;
    const auto members = static_cast<std::int64_t>(groups_[group].size());
    const double wanted =
        static_cast<double>(std::clamp<std::int64_t>(program_.bytes[i] / kElementBytes, 1, kMostElements)) *
        edit.factor;
    const std::int64_t count =
        std::clamp<std::int64_t>(std::llround(std::min(wanted, static_cast<double>(kMostElements))), 1, kMostElements);
    CollectiveCall call;
    const ActivityKind kind = program_.kinds[i];
    std::int64_t in = count, out = count;
    if (kind == ActivityKind::collective) {
      const CollectiveForm form = form_of(program_.collectives[i], count, std::max<std::int64_t>(1, members));
      call.kind = form.kind;
      in = form.in, out = form.out;
      if (workload::is_rooted(program_.collectives[i])) call.root = place_in(group, program_.peers[i]);
    } else {
      call.kind = kind == ActivityKind::send ? "send" : "recv";
      call.peer = workload_.peer_rank(static_cast<std::uint32_t>(place_), i);
      // Torch knows no tag below zero.
      call.tag = std::max<std::int64_t>(0, program_.tags[i]);
      // Who sends needs no room to receive, and the other way round.
      (kind == ActivityKind::send ? out : in) = 0;
    }
    std::vector<std::uint32_t> used;
    const bool in_place = call.kind == "all_reduce" || call.kind == "reduce" || call.kind == "broadcast";
    add_buffer(in, 0, call.inputs, used);
    add_buffer(out, in_place ? 0 : 1, call.outputs, used);
    const std::uint32_t thread = entries_.thread_number(0);
    Entry& entry = entries_.add(Entry::Kind::collective, thread, entries_.stream_of(thread), {});
    entry.number = static_cast<std::uint32_t>(list_.collectives++);
    // A message is not waited for at once: both sides may send first, and would wait for each other.
    entry.is_async = kind != ActivityKind::collective;
    entry.text = entries_.collective_text(call, groups_, group, entry, used);
    // Buffers are used again by the next, which waits for nothing for that: of messages they count as used by nobody.
    entry.inputs = entry.outputs = 0;
  }

  // For the other ranks to be held against.
  void note_side(std::uint32_t i, std::uint32_t group, const TransferEdit& edit) {
    TransferSide& side = list_.edited.sides.emplace_back();
    side.group = group;
    side.edit = edit;
    if (program_.kinds[i] == ActivityKind::collective) {
      side.kind = form_of(program_.collectives[i], 1, 1).kind;
      return;
    }
    const std::int64_t peer = workload_.peer_rank(static_cast<std::uint32_t>(place_), i);
    const bool sends = program_.kinds[i] == ActivityKind::send;
    side.kind = sends ? "send" : "recv";
    side.sender = sends ? list_.rank : peer;
    side.receiver = sends ? peer : list_.rank;
    side.tag = program_.tags[i];
  }

  // One buffer for each size and side serves all.
  void add_buffer(std::int64_t elements, int side, std::vector<RecordedTensor>& tensors,
                  std::vector<std::uint32_t>& used) {
    if (elements == 0) return;
    const auto at = buffers_.try_emplace({elements, side}, static_cast<std::uint32_t>(list_.storages.size()));
    if (at.second) {
      Storage& storage = list_.storages.emplace_back();
      storage.is_given = storage.is_written = true;
      storage.is_on_host = !list_.has_device;
      storage.bytes = elements * kElementBytes;
      storage.element_type = "float32";
    }
    RecordedTensor& tensor = tensors.emplace_back();
    tensor.descriptor = "[\"float32\",[" + std::to_string(elements) + "],[1],0]";
    used.push_back(at.first->second);
  }

  std::uint32_t group_of(std::uint32_t i) {
    if (program_.kinds[i] != ActivityKind::collective) return 0;
    const workload::CommGroup* const listed = workload_.find_group(program_.group_names[i]);
    if (listed == nullptr) return 0;
    const std::vector<std::int64_t> members(listed->ranks.begin(), listed->ranks.end());
    const auto at = std::find(groups_.begin(), groups_.end(), members);
    const auto number = static_cast<std::uint32_t>(at - groups_.begin());
    if (at == groups_.end()) groups_.push_back(members);
    return number;
  }

  [[nodiscard]] std::int64_t place_in(std::uint32_t group, std::int64_t rank) const {
    const auto at = std::find(groups_[group].begin(), groups_[group].end(), rank);
    return at == groups_[group].end() ? 0 : at - groups_[group].begin();
  }

  const workload::Workload& workload_;
  const workload::Program& program_;
  std::size_t place_;
  std::vector<std::vector<std::int64_t>>& groups_;
  const EmitOptions& options_;
  ProgramEdits edits_;
  OperationList list_;
  EntryWriter entries_{list_};
  std::map<std::pair<std::int64_t, int>, std::uint32_t> buffers_;
};

}  // namespace

Result<OperationList> list_of_program(const workload::Workload& workload, std::size_t place, std::int64_t rank,
                                      std::vector<std::vector<std::int64_t>>& groups, const EmitOptions& options) {
  ProgramEdits edits;
  if (!options.edits.empty()) {
    auto edited = edit_program(options.edits, workload, place, rank);
    if (!edited) return edited.error();
    edits = std::move(*edited);
  }
  return ProgramList(workload, place, rank, groups, options, std::move(edits)).run();
}

}  // namespace orrery::replay::torch
