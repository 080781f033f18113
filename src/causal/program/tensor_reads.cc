#include "causal/program/tensor_reads.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery::causal {

std::span<const trace::EventIndex> StorageWriters::visit(trace::EventIndex event, bool has_device_work) {
  const auto tensors = arguments_.tensors_of(match_.row_of_event[event]);
  writers_.clear();
  for (const trace::TensorUse& tensor : tensors) {
    // Without device work only memory of the host is read by the call itself.
    if (!tensor.is_input || (!has_device_work && !tensor.is_on_host)) continue;
    const auto found = last_writer_.find(tensor.storage);
    // What the operator around it wrote is no reason to wait.
    if (found != last_writer_.end() && !is_inside(event, found->second)) writers_.push_back(found->second);
  }
  // After the reads: an operator that writes its input reads what was there before.
  for (const trace::TensorUse& tensor : tensors) {
    if (tensor.is_written && (has_device_work || tensor.is_on_host)) last_writer_[tensor.storage] = event;
  }
  return writers_;
}

namespace {

using trace::EventIndex;

/// Operators that launched device work and have a row, with that work in order.
std::map<EventIndex, std::vector<EventIndex>> works_by_operator(const trace::RankTrace& rank, const HostMatch& match,
                                                                const OperatorIndex& operators) {
  std::map<EventIndex, std::vector<EventIndex>> works;
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    if (!is_device_work(rank.activity(event))) continue;
    const EventIndex launcher = operators.operator_of[event];
    if (launcher != kNoEvent && match.row_of_event[launcher] != kNoRow) works[launcher].push_back(event);
  }
  const auto key = [&](EventIndex event) {
    return std::tuple(rank.start[event], rank.end(event), rank.ordinal[event]);
  };
  for (auto& [launcher, list] : works)
    std::sort(list.begin(), list.end(), [&](EventIndex a, EventIndex b) { return key(a) < key(b); });
  return works;
}

}  // namespace

RankTensors find_tensor_reads(const trace::RankTrace& rank, const HostMatch& match, const OperatorIndex& operators,
                              const trace::HostArguments& arguments) {
  const auto works = works_by_operator(rank, match, operators);
  std::vector<EventIndex> order;
  order.reserve(works.size());
  for (const auto& [launcher, list] : works) order.push_back(launcher);
  std::stable_sort(order.begin(), order.end(),
                   [&](EventIndex a, EventIndex b) { return rank.start[a] < rank.start[b]; });

  RankTensors tensors;
  tensors.rank = rank.rank;
  const auto add = [&](EventIndex writer, EventIndex reader) {
    tensors.reads.push_back({rank.ordinal[writer], rank.ordinal[reader]});
  };
  StorageWriters storages(rank, match, arguments);
  for (const EventIndex launcher : order) {
    const std::vector<EventIndex>& own = works.at(launcher);
    // The first work of an operator waits for the last of those that wrote for it.
    for (const EventIndex writer : storages.visit(launcher, true)) add(works.at(writer).back(), own.front());
    for (std::size_t i = 0; i < own.size(); ++i) {
      tensors.known.push_back(rank.ordinal[own[i]]);
      if (i > 0) add(own[i - 1], own[i]);
    }
  }
  std::sort(tensors.known.begin(), tensors.known.end());
  std::sort(tensors.reads.begin(), tensors.reads.end(), [](const RankTensors::Read& a, const RankTensors::Read& b) {
    return std::tuple(a.reader, a.writer) < std::tuple(b.reader, b.writer);
  });
  tensors.reads.erase(std::unique(tensors.reads.begin(), tensors.reads.end()), tensors.reads.end());
  return tensors;
}

}  // namespace orrery::causal
