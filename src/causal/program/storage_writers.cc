#include "causal/program/storage_writers.h"

namespace orrery::causal {

std::span<const trace::EventIndex> StorageWriters::visit(trace::EventIndex event, bool has_device_work) {
  const auto tensors = arguments_.tensors_of(match_.row_of_event[event]);
  writers_.clear();
  for (const trace::TensorUse& tensor : tensors) {
    if (!tensor.is_input || (!has_device_work && !tensor.is_on_host)) continue;
    const auto found = last_writer_.find(tensor.storage);
    if (found != last_writer_.end() && !is_inside(event, found->second)) writers_.push_back(found->second);
  }
  for (const trace::TensorUse& tensor : tensors) {
    if (tensor.is_written && (has_device_work || tensor.is_on_host)) last_writer_[tensor.storage] = event;
  }
  return writers_;
}

}  // namespace orrery::causal
