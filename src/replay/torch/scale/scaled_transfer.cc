#include "replay/torch/scale/scaled_transfer.h"

#include <cmath>
#include <numeric>

#include "replay/torch/write/tensor_text.h"

namespace orrery::replay::torch {
namespace {

constexpr double kMostElementsCarried = 1e12;

std::int64_t elements_in(const RecordedTensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Depends on nothing but the number, so that who sends and who receives come to the same.
std::int64_t times(std::int64_t count, double factor) {
  if (count <= 0) return 0;
  return std::max<std::int64_t>(1, std::llround(std::min(static_cast<double>(count) * factor, kMostElementsCarried)));
}

class TransferScaling {
 public:
  TransferScaling(CollectiveCall& call, double factor, std::int64_t members)
      : call_(call), factor_(factor), members_(std::max<std::int64_t>(1, members)) {}

  bool run() {
    if (call_.kind == "all_to_all_single")
      return split(call_.inputs, call_.in_splits) && split(call_.outputs, call_.out_splits);
    // One side is all parts, one after the other: the part is what is rounded.
    const bool gathers = call_.kind == "all_gather_into_tensor", scatters = call_.kind == "reduce_scatter_tensor";
    return set_all(call_.inputs, scatters ? members_ : 1) && set_all(call_.outputs, gathers ? members_ : 1);
  }

 private:
  bool set_all(std::vector<RecordedTensor>& tensors, std::int64_t parts) {
    for (RecordedTensor& tensor : tensors) {
      const std::int64_t count = elements_in(tensor);
      // What cannot be equal parts was recorded in another way than it looks: it grows as one.
      if (!set(tensor, count % parts == 0 ? times(count / parts, factor_) * parts : times(count, factor_)))
        return false;
    }
    return true;
  }

  // Splits count rows; as all is flat from here on, they count elements.
  bool split(std::vector<RecordedTensor>& tensors, std::vector<std::int64_t>& splits) {
    if (tensors.size() != 1 || splits.empty()) return set_all(tensors, members_);
    const std::int64_t rows = std::accumulate(splits.begin(), splits.end(), std::int64_t{0});
    const std::int64_t count = elements_in(tensors.front());
    if (rows <= 0 || count % rows != 0) return set_all(tensors, 1);
    for (std::int64_t& part : splits) part = times(part * (count / rows), factor_);
    return set(tensors.front(), std::accumulate(splits.begin(), splits.end(), std::int64_t{0}));
  }

  static bool set(RecordedTensor& tensor, std::int64_t elements) {
    if (static_cast<double>(elements) >= kMostElementsCarried) return false;
    tensor.shape = {elements};
    tensor.stride = {1};
    tensor.offset = 0;
    tensor.extent_bytes = elements * tensor.type.bytes;
    tensor.descriptor = descriptor_of(tensor);
    return true;
  }

  CollectiveCall& call_;
  double factor_;
  std::int64_t members_;
};

}  // namespace

std::optional<CollectiveCall> scale_transfer(const CollectiveCall& call, double factor, std::int64_t members) {
  CollectiveCall scaled = call;
  if (!TransferScaling(scaled, factor, members).run()) return std::nullopt;
  return scaled;
}

}  // namespace orrery::replay::torch
