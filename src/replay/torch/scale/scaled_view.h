// How a tensor changes when a dimension of the memory that it lies on does.
//
// Memory is one line of elements. An axis of it is a digit of an element's place: place = high * (stride * count) + k *
// stride + low, 0 <= k < count. To scale it by f is to let k go up to count * f: what lies beyond moves, the strides
// above it grow, what lies below stays. A dimension of a view of that memory may be the axis, contain it ([8, 256, 512]
// seen as [2048, 512]: the 8 is a part of the 2048), be the upper half of it ([8] seen as [2, 4]), or a slice of it,
// which then keeps its share. An axis may have some elements that stay (extra): sequences of 256 are cut out of 257
// tokens, from the first or the second on, and out of 513 where they have 512. So one axis says what becomes of every
// view, and a part of a view's dimension says which axis it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/torch/scale/scale_request.h"
#include "replay/torch/source/recorded_tensor.h"

namespace orrery::replay::torch {

/// In bytes, so that views of other types agree about it.
struct Axis {
  std::int64_t stride_bytes = 0;
  std::int64_t count = 0;
  std::int64_t extra = 0;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// What of a dimension is scaled: its size is outer * (count + extra) * inner, of which the count is.
struct Part {
  std::int64_t inner = 1;
  std::int64_t count = 0;
  std::int64_t extra = 0;
  friend auto operator<=>(const Part&, const Part&) = default;
};

struct DimensionPart {
  std::size_t dimension = 0;
  Part part;
};

/// Whether the view can follow the axis at all.
bool can_follow(const RecordedTensor& tensor, const Axis& axis);
/// The dimension that grows with the axis; nothing if none does (one element of the axis was selected). Only of views
/// that can follow.
std::optional<DimensionPart> part_of_axis(const RecordedTensor& tensor, const Axis& axis);
/// The axis that a part of a dimension is, of a dimension with a stride. `storage_bytes`: what is known of its memory.
/// The likeliest first: the part alone; with a few elements more, or up to the next larger stride or the end of the
/// memory, if the dimension is a slice.
std::vector<Axis> axes_of_part(const RecordedTensor& tensor, const DimensionPart& part, std::int64_t storage_bytes);

/// What becomes of the size of a dimension with this part; nothing if it is no whole number, or too large.
std::optional<std::int64_t> scaled_size(std::int64_t size, const Part& part, const Factor& factor);

/// Applies it: shape, stride and offset. False if a size is no whole number then, or too large.
bool scale_axis(RecordedTensor& tensor, const Axis& axis, const Factor& factor);
/// The descriptor and the extent, after sizes changed. False if it is larger than any memory.
bool describe_again(RecordedTensor& tensor);

}  // namespace orrery::replay::torch
