// The parts of JsonRewriter that know what calls of communication say in lists among their arguments: whom with, which
// tag, how much. Analyses match the ranks of a job by that (match/host_work.h), so it stays; shapes and all other
// values go.
//
//     {"name": "c10d::send", "args": {"Concrete Inputs": ["", "", "2", "0"], "Input type": ["TensorList", "", "Scalar",
//     "Scalar"],
//                                     "Input Dims": [[[192, 64]], [], [], []]}}
//  -> {"name": "c10d::send", "args": {"Concrete Inputs": ["", "", "2", "0"], "Input type": ["TensorList", "", "Scalar",
//  "Scalar"],
//                                     "Input Dims": [[[12288]], [], [], []]}}

#include "base/numbers.h"
#include "match/communication.h"
#include "scrub/files/json_rewriter.h"
#include "scrub/words/public_words.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kIntegerDigits = 10;  // of 32 bits: ranks and tags have no more, addresses and hashes do
constexpr std::int64_t kUnknown = -1;       // what readers take for no size either

bool is_small_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= kIntegerDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Adds up the elements of tensors; once one of them is unknown, so is the sum.
class ElementSum {
 public:
  /// [192, 64]: 12288 more; []: a scalar, one more.
  void add(std::string_view dims) {
    std::int64_t product = 1;
    const bool is_list = for_each_entry(dims, [&](std::string_view dim) {
      std::int64_t size = 0;
      const bool fits = parse_number(dim, size) && size >= 0;
      known_ = known_ && fits && !__builtin_mul_overflow(product, size, &product);
    });
    known_ = known_ && is_list && !__builtin_add_overflow(sum_, product, &sum_);
  }
  [[nodiscard]] std::int64_t value() const { return known_ ? sum_ : kUnknown; }

 private:
  std::int64_t sum_ = 0;
  bool known_ = true;
};

bool is_list_of_lists(std::string_view value) {
  bool any = false;
  for_each_entry(value, [&](std::string_view entry) { any = any || entry.starts_with('['); });
  return any;
}

}  // namespace

// ["", "", "2", "0"]: what the recorder does not tell is "" there as well.
bool JsonRewriter::write_call_inputs(std::string_view value, std::string& out) {
  out += '[';
  bool comma = false;
  const bool is_list = for_each_entry(value, [&](std::string_view entry) {
    if (comma) out += ',';
    comma = true;
    const bool stays = is_json_string(entry) && is_small_integer(string_content(entry));
    out += stays ? entry : "\"\"";
  });
  out += ']';
  return is_list;
}

std::int64_t JsonRewriter::new_elements(std::int64_t elements) const {
  if (elements < 0) return kUnknown;
  const std::uint64_t rounded = round_size(static_cast<std::uint64_t>(elements), settings_.size_bits);
  return rounded <= std::uint64_t{1} << 62 ? static_cast<std::int64_t>(rounded) : elements;
}

bool JsonRewriter::write_call_sizes(std::string_view value, std::string& out) {
  // The annotation of the work lists its tensors one by one; how many there are and how large each is would tell layers
  // apart.
  if (event_call_ == EventCall::work) {
    ElementSum all;
    bool any = false;
    if (!for_each_entry(value, [&](std::string_view dims) { any = true, all.add(dims); })) return false;
    out += any ? "[[" + std::to_string(new_elements(all.value())) + "]]" : "[]";
    return true;
  }
  out += '[';
  bool comma = false;
  const bool is_list = for_each_entry(value, [&](std::string_view entry) {
    if (comma) out += ',';
    comma = true;
    ElementSum sum;
    if (is_list_of_lists(entry)) {
      for_each_entry(entry, [&](std::string_view dims) { sum.add(dims); });
      out += "[[" + std::to_string(new_elements(sum.value())) + "]]";
      return;
    }
    // Nothing in the brackets is a scalar, or an argument that is no tensor.
    sum.add(entry);
    out += entry == "[]" ? "[]" : "[" + std::to_string(new_elements(sum.value())) + "]";
  });
  out += ']';
  return is_list;
}

bool JsonRewriter::write_call_types(std::string_view value, std::string& out) {
  if (event_call_ != EventCall::work) return write_types(value, out);
  // One for all, as for sizes; none if they differ.
  std::string_view common;
  bool any = false, same = true;
  const bool is_list = for_each_entry(value, [&](std::string_view type) {
    same = same && (!any || type == common);
    common = type;
    any = true;
  });
  if (!is_list) return false;
  out += '[';
  if (any) ((out += '"') += same && is_json_string(common) ? public_type(string_content(common)) : "") += '"';
  out += ']';
  return true;
}

}  // namespace orrery::scrub
