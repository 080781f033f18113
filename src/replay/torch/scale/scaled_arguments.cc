#include "replay/torch/scale/scaled_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/source/recorded_call.h"
#include "replay/torch/write/tensor_text.h"

// Tensors are scaled first; then every number among the arguments that is known to repeat a size of them follows. A
// number that should be such a size and is none means that the call is not understood, and scaling is refused.

namespace orrery::replay::torch {

// The numbers among the arguments of a call that are sizes of its tensors: of view, arange, as_strided, layer_norm.

/// Writes the form of `call` again, whose tensors have been scaled; `before` are these as they were. False if a number
/// that should be a size of one of them is none.
bool scale_numbers(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                   const std::vector<RecordedTensor>& before, const Factor& factor, RecordedCall& call);

namespace {

class NumberScaling {
 public:
  NumberScaling(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                const std::vector<RecordedTensor>& before, const Factor& factor, const RecordedCall& call)
      : schema_(schema), before_(before), factor_(factor), call_(call) {
    const auto lists = pytorch_et::input_lists(host, row);
    values_ = values_of(lists.values, lists.types, lists.shapes, lists.strides);
  }

  bool run() {
    for (std::size_t i = 0; i < values_.size() && i < schema_.arguments.size(); ++i) {
      argument_ = static_cast<std::int32_t>(i);
      if (!scale(schema_.arguments[i].name, values_[i].value)) return false;
    }
    return true;
  }
  std::map<std::int32_t, std::string> changed;
  std::map<std::int32_t, std::int64_t> numbers;

 private:
  bool scale(std::string_view name, std::string_view value) {
    const bool has_output = call_.tensors.size() > call_.inputs;
    if (schema_.name == "aten::arange") return name == "end" && has_output ? scale_end(value) : true;
    // Of views and memory that is made.
    if ((name == "size" || name == "shape") && has_output && parse_integers(value))
      return scale_shape(value, before_[call_.inputs].shape, output().shape);
    if (name == "stride" && has_output && parse_integers(value))
      return scale_shape(value, before_[call_.inputs].stride, output().stride);
    if (name == "storage_offset" && has_output && parse_number<std::int64_t>(value))
      return set(*parse_number<std::int64_t>(value), before_[call_.inputs].offset, output().offset);
    if (name == "normalized_shape") return scale_normalized(value);
    if (name == "num_weights" && has_output && !before_[call_.inputs].shape.empty() &&
        parse_number<std::int64_t>(value))
      return set(*parse_number<std::int64_t>(value), before_[call_.inputs].shape.front(), output().shape.front());
    if (name == "max_q" || name == "max_seqlen_q") return scale_length("query", value);
    if (name == "max_k" || name == "max_seqlen_k") return scale_length("key", value);
    return true;
  }

  [[nodiscard]] const RecordedTensor& output() const { return call_.tensors[call_.inputs]; }

  bool set(std::int64_t recorded, std::int64_t was, std::int64_t is) {
    // The argument said another number than the tensor has: that is harmless only where the tensor stays as it is.
    if (recorded != was) return was == is;
    if (was == is) return true;
    numbers[argument_] = is;
    changed[argument_] = std::to_string(is);
    return true;
  }

  bool scale_shape(std::string_view value, const std::vector<std::int64_t>& was, const std::vector<std::int64_t>& is) {
    std::vector<std::int64_t> sizes = *parse_integers(value);
    if (was == is) return true;
    if (sizes.size() != was.size()) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // -1: what is left, or as it was.
      if (sizes[i] != was[i] && sizes[i] != -1 && was[i] != is[i]) return false;
      if (sizes[i] == was[i]) sizes[i] = is[i];
    }
    changed[argument_] = fmt::format("[{}]", fmt::join(sizes, ","));
    return true;
  }

  bool scale_normalized(std::string_view value) {
    const auto input = tensor_called("input");
    const auto sizes = parse_integers(value);
    if (!input || !sizes || sizes->size() > before_[*input].shape.size()) return false;
    const auto tail = [&](const std::vector<std::int64_t>& shape) {
      return std::vector<std::int64_t>(shape.end() - static_cast<std::ptrdiff_t>(sizes->size()), shape.end());
    };
    // Normalization is over the last dimensions.
    return scale_shape(value, tail(before_[*input].shape), tail(call_.tensors[*input].shape));
  }

  // [batch, heads, sequence, width], or [batch, sequence, heads, width]: whichever has that many.
  bool scale_length(std::string_view tensor, std::string_view value) {
    const auto place = tensor_called(tensor);
    const auto length = parse_number<std::int64_t>(value);
    // Packed sequences have three dimensions, none of which is the length of one sequence.
    if (!place || !length || before_[*place].shape.size() != 4) return true;
    const std::size_t sequence =
        schema_.name.starts_with("aten::_efficient") || schema_.name.starts_with("aten::_flash") ? 1 : 2;
    const std::int64_t was = before_[*place].shape[sequence], is = call_.tensors[*place].shape[sequence];
    // The backward of the memory-efficient kernel is given another number, and does without.
    return *length != was || set(*length, was, is);
  }

  // From start to end in steps: as many times the way.
  bool scale_end(std::string_view value) {
    // As long as its result stays as it is, so does its end.
    if (before_[call_.inputs].shape == output().shape) return true;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < values_.size() && i < schema_.arguments.size(); ++i) {
      if (schema_.arguments[i].name != "start") continue;
      const auto number = parse_number<std::int64_t>(values_[i].value);
      if (!number) return false;
      start = *number;
    }
    const auto end = parse_number<std::int64_t>(value);
    std::int64_t way = 0, last = 0;
    if (!end || __builtin_sub_overflow(*end, start, &way)) return false;
    const auto scaled = factor_.times(way);
    return scaled && !__builtin_add_overflow(start, *scaled, &last) && set(*end, *end, last);
  }

  [[nodiscard]] std::optional<std::size_t> tensor_called(std::string_view name) const {
    for (std::size_t i = 0; i < call_.inputs; ++i) {
      if (schema_.arguments[static_cast<std::size_t>(call_.tensors[i].argument)].name == name) return i;
    }
    return std::nullopt;
  }

  const pytorch_et::OperatorSchema& schema_;
  const std::vector<RecordedTensor>& before_;
  const Factor& factor_;
  const RecordedCall& call_;
  std::vector<RecordedValue> values_;
  std::int32_t argument_ = 0;
};

}  // namespace

bool scale_numbers(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                   const std::vector<RecordedTensor>& before, const Factor& factor, RecordedCall& call) {
  NumberScaling scaling(host, row, schema, before, factor, call);
  if (!scaling.run()) return false;
  if (scaling.changed.empty()) return true;
  auto written = record_call(host, row, schema, scaling.changed);
  if (!written) return false;
  call.form = std::move(written->form);
  call.changed_numbers = std::move(scaling.numbers);
  return true;
}

namespace {

// The tensors as they were, if any of them changed; otherwise nothing.
Result<std::vector<RecordedTensor>> scale_tensors(const TensorUser& user, const TensorSites& sites,
                                                  const ScaledMemory& memory, const Factor& factor,
                                                  const ScaleRefusals& refusals) {
  std::vector<RecordedTensor> before;
  bool has_changed = false;
  for (std::uint32_t site = user.first; site < user.first + user.count; ++site) {
    RecordedTensor& tensor = *sites.all[site].tensor;
    before.push_back(tensor);
    if (!memory.scale_tensor(site, factor) || !describe_again(tensor))
      return refusals.cannot_follow(
          user.row, fmt::format("a tensor of shape [{}] would have sizes that are no whole numbers, or too large",
                                fmt::join(before.back().shape, ", ")));
    has_changed |= tensor.descriptor != before.back().descriptor;
  }
  if (!has_changed) before.clear();
  return before;
}

}  // namespace

Result<std::vector<std::uint8_t>> scale_arguments(const trace::HostTrace& host, const Factor& factor,
                                                  const TensorSites& sites, const ScaledMemory& memory,
                                                  const CountedIndices& counted, const ScaleRefusals& refusals) {
  std::vector<std::uint8_t> has_changed(sites.users.size(), 0);
  for (std::size_t i = 0; i < sites.users.size(); ++i) {
    const TensorUser& user = sites.users[i];
    const auto before = scale_tensors(user, sites, memory, factor, refusals);
    if (!before) return before.error();
    // What did not change needs no new form.
    if (before->empty()) continue;
    has_changed[i] = 1;
    if (user.is_collective()) continue;
    if (!scale_numbers(host, user.row, *user.schema, *before, factor, *user.call))
      return refusals.cannot_follow(user.row, "its arguments say sizes that are not those of its tensors");
    if (const Status fits = counted.check_table(user, refusals); !fits) return fits.error();
  }
  return has_changed;
}

void grow_lifetimes(const ScaledMemory& memory, const Factor& factor, Lifetimes& lifetimes) {
  for (std::uint32_t i = 0; i < lifetimes.all.size(); ++i) {
    std::int64_t& bytes = lifetimes.all[i].bytes;
    // Memory that is scaled along two axes grows by the factor twice; rounded up, since less would not do.
    for (std::size_t n = 0; n < memory.axes_count(i); ++n) {
      std::int64_t grown = 0;
      if (!__builtin_mul_overflow(bytes, factor.numerator, &grown))
        bytes = (grown + factor.denominator - 1) / factor.denominator;
    }
  }
}

}  // namespace orrery::replay::torch
