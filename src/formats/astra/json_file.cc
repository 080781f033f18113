#include "formats/astra/json_file.h"

#include <fmt/format.h>

#include <cmath>

#include "base/io/file_content.h"
#include "base/limits.h"

namespace orrery::astra {
namespace {}  // namespace

Result<JsonFile> JsonFile::open(const std::string& path) {
  const Result<std::string> bytes = read_whole_file(path, kMaxConfigurationBytes);
  if (!bytes) return bytes.error();
  JsonFile file;
  file.path_ = path;
  simdjson::dom::element root;
  if (const auto code = file.parser_->parse(*bytes).get(root); code != simdjson::SUCCESS) {
    return file.error(fmt::format("this is not JSON: {}", simdjson::error_message(code)));
  }
  if (root.get(file.object_) != simdjson::SUCCESS) return file.error("this is not a JSON object");
  return file;
}

Result<std::optional<double>> JsonFile::number(std::string_view key) const {
  simdjson::dom::element value;
  if (object_[key].get(value) != simdjson::SUCCESS) return std::optional<double>();
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || !std::isfinite(number))
    return error(fmt::format("{} is not a number", key));
  return std::optional<double>(number);
}

Result<std::optional<std::int64_t>> JsonFile::integer(std::string_view key) const {
  const Result<std::optional<double>> value = number(key);
  if (!value) return value.error();
  if (!*value) return std::optional<std::int64_t>();
  if (std::abs(**value) > 9e15) return error(fmt::format("{} is too large", key));
  return std::optional<std::int64_t>(static_cast<std::int64_t>(**value));
}

Result<std::optional<std::string>> JsonFile::text(std::string_view key) const {
  simdjson::dom::element value;
  if (object_[key].get(value) != simdjson::SUCCESS) return std::optional<std::string>();
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return error(fmt::format("{} is not a text", key));
  return std::optional<std::string>(text);
}

Result<std::optional<bool>> JsonFile::flag(std::string_view key) const {
  simdjson::dom::element value;
  if (object_[key].get(value) != simdjson::SUCCESS) return std::optional<bool>();
  bool flag = false;
  if (value.get(flag) == simdjson::SUCCESS) return std::optional<bool>(flag);
  const Result<std::optional<double>> as_number = number(key);
  if (!as_number) return error(fmt::format("{} is neither true nor false", key));
  return std::optional<bool>(**as_number != 0);
}

}  // namespace orrery::astra
