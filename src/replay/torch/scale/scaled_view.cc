#include "replay/torch/scale/scaled_view.h"

#include <algorithm>

#include "replay/torch/write/tensor_text.h"

namespace orrery::replay::torch {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
// Beyond, sums of strides would not fit; no memory is so large.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
constexpr std::int64_t kLeastShare =
    8;  // what is more than an eighth longer than a slice of it is not the slice and a little more

/// The axis in elements of the view.
struct Span {
  std::int64_t stride = 0, end = 0;  ///< from one step to all of them
  std::int64_t extra = 0;
};

std::optional<Span> span_of(const RecordedTensor& tensor, const Axis& axis) {
  if (axis.stride_bytes % tensor.type.bytes != 0 || tensor.extent_bytes > kMostBytes) return std::nullopt;
  Span span;
  span.stride = axis.stride_bytes / tensor.type.bytes;
  if (span.stride <= 0 || axis.count <= 0 || axis.extra < 0 ||
      __builtin_mul_overflow(span.stride, axis.count + axis.extra, &span.end))
    return std::nullopt;
  span.extra = axis.extra;
  return span;
}

// A single element has no stride, and an expanded dimension no memory.
bool has_steps(const RecordedTensor& tensor, std::size_t i) { return tensor.shape[i] > 1 && tensor.stride[i] > 0; }
// Products of what parse_tensor found to be in memory fit.
std::int64_t reach_of(const RecordedTensor& tensor, std::size_t i) { return tensor.stride[i] * tensor.shape[i]; }
bool meets(const RecordedTensor& tensor, std::size_t i, const Span& span) {
  return has_steps(tensor, i) && reach_of(tensor, i) > span.stride && tensor.stride[i] < span.end;
}

// The dimension that has the upper end of the axis.
std::size_t top_of(const RecordedTensor& tensor, const Span& span) {
  std::size_t top = kNone;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (meets(tensor, i, span) && (top == kNone || tensor.stride[i] > tensor.stride[top])) top = i;
  }
  return top;
}

std::optional<Part> part_of(const RecordedTensor& tensor, std::size_t i, const Span& span) {
  const std::int64_t stride = tensor.stride[i], reach = reach_of(tensor, i), low = std::max(stride, span.stride);
  if (low % stride != 0 || low % span.stride != 0) return std::nullopt;
  // All of the axis, and perhaps whole ones beyond; or a slice.
  const std::int64_t end = std::min(reach, span.end);
  if (end % low != 0 || (reach > span.end && reach % span.end != 0)) return std::nullopt;
  if (span.extra == 0) return Part{low / stride, end / low};
  // What stays has no share: a slice is all of what is scaled, or it is not known what it would be.
  const std::int64_t count = span.end / span.stride - span.extra;
  if (low != span.stride || (end != span.end && end / low != count)) return std::nullopt;
  return Part{low / stride, count, end == span.end ? span.extra : 0};
}

}  // namespace

std::optional<std::int64_t> scaled_size(std::int64_t size, const Part& part, const Factor& factor) {
  const auto count = factor.times(part.count);
  const std::int64_t outer = size / (part.count + part.extra);
  std::int64_t scaled = 0;
  if (!count || *count < 1 || __builtin_mul_overflow(outer, *count + part.extra, &scaled)) return std::nullopt;
  return scaled;
}

bool can_follow(const RecordedTensor& tensor, const Axis& axis) {
  const auto span = span_of(tensor, axis);
  if (!span) return false;
  const std::size_t top = top_of(tensor, *span);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (!has_steps(tensor, i) || i == top) continue;
    // Windows that overlap (unfold) have no digits.
    if (meets(tensor, i, *span) && reach_of(tensor, i) > tensor.stride[top]) return false;
    if (tensor.stride[i] >= span->end && tensor.stride[i] % span->end != 0) return false;
  }
  // Where a slice of it begins, or which element it is, among those that stay.
  if (span->extra > 0 && tensor.offset % span->end / span->stride > span->extra) return false;
  return top == kNone || part_of(tensor, top, *span).has_value();
}

std::optional<DimensionPart> part_of_axis(const RecordedTensor& tensor, const Axis& axis) {
  const auto span = span_of(tensor, axis);
  const std::size_t top = span ? top_of(tensor, *span) : kNone;
  if (top == kNone) return std::nullopt;
  const auto part = part_of(tensor, top, *span);
  if (!part) return std::nullopt;
  return DimensionPart{top, *part};
}

std::vector<Axis> axes_of_part(const RecordedTensor& tensor, const DimensionPart& part, std::int64_t storage_bytes) {
  const std::int64_t stride = tensor.stride[part.dimension];
  if (tensor.extent_bytes > kMostBytes || storage_bytes > kMostBytes) return {};
  const std::int64_t step = stride * part.part.inner, bytes = step * tensor.type.bytes;
  std::vector<Axis> axes = {{bytes, part.part.count, part.part.extra}};
  if (part.part.extra > 0) return axes;
  // More lies above it in its own dimension: then it is no slice.
  if (part.part.inner * (part.part.count + part.part.extra) != tensor.shape[part.dimension]) return axes;
  std::int64_t next = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (has_steps(tensor, i) && tensor.stride[i] > stride && (next == 0 || tensor.stride[i] < next))
      next = tensor.stride[i];
  }
  if (next != 0 && next % step == 0) {
    const std::int64_t extra = next / step - part.part.count;
    if (extra > 0 && extra <= part.part.count / kLeastShare) axes.push_back({bytes, part.part.count, extra});
    axes.push_back({bytes, next / step});
  }
  if (next == 0) axes.push_back({bytes, (storage_bytes + bytes - 1) / bytes});
  return axes;
}

bool scale_axis(RecordedTensor& tensor, const Axis& axis, const Factor& factor) {
  const auto span = span_of(tensor, axis);
  if (!span) return false;
  const auto count = factor.times(axis.count);
  if (!count || *count < 1) return false;
  // What lies beyond the axis moves by whole ones of it.
  const auto move = [&](std::int64_t& number) {
    std::int64_t moved = 0;
    if (__builtin_mul_overflow(number / span->end, span->stride, &moved) ||
        __builtin_mul_overflow(moved, *count + axis.extra, &moved))
      return false;
    return !__builtin_add_overflow(moved, number % span->end, &number);
  };
  const auto part = part_of_axis(tensor, axis);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (part && part->dimension == i) continue;
    // Of single elements too, where that can be: nobody looks at it, but it is what PyTorch would make of it.
    const bool is_above = tensor.stride[i] >= span->end && tensor.stride[i] % span->end == 0;
    if (is_above && !move(tensor.stride[i]) && has_steps(tensor, i)) return false;
  }
  if (part) {
    // Parts, not products: three quarters of a batch of 2 are none, however many tokens it has.
    const auto size = scaled_size(tensor.shape[part->dimension], part->part, factor);
    if (!size) return false;
    tensor.shape[part->dimension] = *size;
  }
  const std::int64_t rest = tensor.offset % span->end;
  std::int64_t moved = tensor.offset - rest;
  const auto k = axis.extra > 0 ? rest / span->stride : factor.times(rest / span->stride);
  std::int64_t inside = 0;
  if (!move(moved) || !k || __builtin_mul_overflow(*k, span->stride, &inside) ||
      __builtin_add_overflow(inside, rest % span->stride, &inside))
    return false;
  return !__builtin_add_overflow(moved, inside, &tensor.offset);
}

bool describe_again(RecordedTensor& tensor) {
  const auto extent = extent_of(tensor);
  if (!extent) return false;
  tensor.extent_bytes = *extent;
  tensor.descriptor = descriptor_of(tensor);
  return true;
}

}  // namespace orrery::replay::torch
