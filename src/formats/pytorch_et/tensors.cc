// Tensors inside {"values": [[5,6,0,2056,8,"cuda:0"], [1,2], [[7,8,0,4,4,"cuda:0"]]], "shapes": ..., "types":
// ["Tensor(long int)", ...]}.

#include "base/numbers.h"
#include "formats/pytorch_et/reader.h"

namespace orrery::pytorch_et {
namespace {

/// A view that is eaten from the front. Inputs are short, and here the bytes behind the text belong to others: byte by
/// byte.
class Text {
 public:
  explicit Text(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_.front(); }
  void drop() { rest_.remove_prefix(1); }
  void skip_space() {
    while (front() == ' ' || front() == '\n' || front() == '\r' || front() == '\t') drop();
  }
  bool take(char c) {
    skip_space();
    if (front() != c) return false;
    drop();
    return true;
  }
  template <typename Number>
  bool take_number(Number& out) {
    skip_space();
    return orrery::take_number(rest_, out);
  }
  /// A string as written, without its quotes.
  bool take_string(std::string_view& out) {
    if (!take('"')) return false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      // Whatever is escaped, it is not the end.
      if (rest_[i] == '\\') ++i;
      else if (rest_[i] == '"') {
        out = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }
  /// Any value; nested ones to any depth.
  bool skip_value() {
    int depth = 0;
    std::string_view ignored;
    while (!at_end()) {
      const char c = front();
      if (c == '"') {
        if (!take_string(ignored)) return false;
      } else if ((c == ',' || c == ']' || c == '}') && depth == 0) {
        return true;
      } else {
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        drop();
      }
      if (depth == 0 && (c == '"' || c == ']' || c == '}')) return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
};

bool take_tensor(Text& text, Tensor& out) {
  Text ahead = text;
  const bool whole = ahead.take('[') && ahead.take_number(out.tensor) && ahead.take(',') &&
                     ahead.take_number(out.storage) && ahead.take(',') && ahead.take_number(out.offset) &&
                     ahead.take(',') && ahead.take_number(out.elements) && ahead.take(',') &&
                     ahead.take_number(out.element_bytes) && ahead.take(',') && ahead.take_string(out.device) &&
                     ahead.take(']');
  if (whole) text = ahead;
  return whole;
}

/// The list that is the member `key` of an object; at its end if there is none.
Text find_list(std::string_view object, std::string_view key) {
  Text text(object);
  if (!text.take('{')) return Text({});
  std::string_view name;
  while (text.take_string(name) && text.take(':')) {
    text.skip_space();
    if (name == key && text.front() == '[') return text;
    if (!text.skip_value() || !text.take(',')) break;
  }
  return Text({});
}

// One value and what is nested in it, to any depth.
void append_tensors_of_value(Text value, std::vector<Tensor>& out) {
  int depth = 0;
  while (!value.at_end()) {
    Tensor tensor;
    const char c = value.front();
    if (c == '[' && take_tensor(value, tensor)) {
      out.push_back(tensor);
    } else if (std::string_view ignored; c == '"') {
      if (!value.take_string(ignored)) return;
    } else if ((c == ',' || c == ']') && depth == 0) {
      return;
    } else {
      if (c == '[') ++depth;
      if (c == ']') --depth;
      value.drop();
    }
    if (depth == 0 && (c == '[' || c == ']' || c == '"')) return;
  }
}

}  // namespace

void append_tensors(std::string_view inputs_or_outputs, std::vector<Tensor>& out) {
  Text values = find_list(inputs_or_outputs, "values");
  Text types = find_list(inputs_or_outputs, "types");
  bool more_types = types.take('[');
  if (!values.take('[')) return;
  do {
    values.skip_space();
    // A tuple of five numbers and a text looks the same: the type decides, where it is given.
    std::string_view type;
    more_types = more_types && types.take_string(type);
    if (!more_types || type.find("Tensor") != std::string_view::npos) append_tensors_of_value(values, out);
    if (!values.skip_value()) return;
    more_types = more_types && types.take(',');
  } while (values.take(','));
}

}  // namespace orrery::pytorch_et
