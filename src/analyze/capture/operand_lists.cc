#include "analyze/capture/operand_lists.h"

#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "match/communication.h"

namespace orrery::analyze {
namespace {

/// Lists of lists of integers, at most as deep as operands go: operand, tensor of a list, dimension.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  bool open() { return take('['); }
  bool close() { return take(']'); }
  bool comma() { return take(','); }
  bool at_list() {
    skip();
    return at_ < text_.size() && text_[at_] == '[';
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  std::optional<std::int64_t> number() {
    skip();
    const auto value = leading_number<std::int64_t>(text_.substr(at_));
    if (!value) return std::nullopt;
    while (at_ < text_.size() && (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    return value;
  }
  std::optional<std::string> text() {
    if (!take('"')) return std::nullopt;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return std::nullopt;
    return unescape_json(text_.substr(begin, at_++ - begin));
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The dimensions up to the closing bracket; what opened the list was taken.
bool read_shape(ListReader& reader, Shape& shape) {
  if (reader.close()) return true;
  do {
    const auto size = reader.number();
    if (!size || *size < 0) return false;
    shape.push_back(*size);
  } while (reader.comma());
  return reader.close();
}

bool read_operand(ListReader& reader, Operand& operand) {
  if (!reader.open()) return false;
  operand.is_list = reader.at_list();
  if (!operand.is_list) return read_shape(reader, operand.shapes.emplace_back());
  do {
    if (!reader.open() || !read_shape(reader, operand.shapes.emplace_back())) return false;
  } while (reader.comma());
  return reader.close();
}

}  // namespace

std::optional<std::vector<Operand>> parse_shapes(std::string_view json) {
  ListReader reader(json);
  std::vector<Operand> operands;
  if (!reader.open()) return std::nullopt;
  if (reader.close()) return operands;
  do {
    if (!read_operand(reader, operands.emplace_back())) return std::nullopt;
  } while (reader.comma());
  if (!reader.close() || !reader.at_end()) return std::nullopt;
  return operands;
}

std::vector<std::string> parse_texts(std::string_view json) {
  ListReader reader(json);
  std::vector<std::string> texts;
  if (!reader.open() || reader.close()) return texts;
  do {
    std::optional<std::string> text = reader.text();
    // A list of types has one per operand; of a list of tensors, some writers give a list.
    if (!text) return {};
    texts.push_back(std::move(*text));
  } while (reader.comma());
  return texts;
}

std::string without_blanks(std::string_view json) {
  std::string result;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\' && i + 1 < json.size()) {
      result += {c, json[++i]};
      continue;
    }
    if (c == '"') in_text = !in_text;
    if (in_text || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) result += c;
  }
  return result;
}

std::optional<std::int64_t> bytes_of_operand(std::string_view shapes, std::string_view types, std::size_t place) {
  const std::optional<std::vector<Operand>> operands = parse_shapes(shapes);
  const std::vector<std::string> names = parse_texts(types);
  if (!operands || place >= operands->size() || place >= names.size()) return std::nullopt;
  std::int64_t bytes = 0;
  for (const Shape& shape : (*operands)[place].shapes) {
    std::int64_t size = match::element_bytes(names[place]);
    for (const std::int64_t dimension : shape) {
      if (__builtin_mul_overflow(size, dimension, &size)) return std::nullopt;
    }
    if (__builtin_add_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

double elements_of_list(std::string_view json) {
  ListReader reader(json);
  Shape shape;
  if (!reader.open() || !read_shape(reader, shape) || shape.empty()) return 0;
  double elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

double elements_of_lists(std::string_view json) {
  double sum = 0;
  for (const Operand& operand : parse_shapes(json).value_or(std::vector<Operand>{})) {
    for (const Shape& shape : operand.shapes) {
      if (shape.empty()) continue;
      double elements = 1;
      for (const std::int64_t size : shape) elements *= static_cast<double>(size);
      sum += elements;
    }
  }
  return sum;
}

}  // namespace orrery::analyze
