// A JSON file with one object in it, for the configuration readers.
#pragma once

#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace orrery::astra {

class JsonFile {
 public:
  static Result<JsonFile> open(const std::string& path);

  [[nodiscard]] const simdjson::dom::object& object() const { return object_; }
  [[nodiscard]] Error error(std::string message, std::string hint = {}) const {
    return {std::move(message), path_, Error::kNoOffset, std::move(hint)};
  }

  // A member, or nothing if there is none. A value of another type is an error.
  Result<std::optional<double>> number(std::string_view key) const;
  Result<std::optional<std::int64_t>> integer(std::string_view key) const;
  Result<std::optional<std::string>> text(std::string_view key) const;
  /// true, false, or a number: 0 is false.
  Result<std::optional<bool>> flag(std::string_view key) const;

 private:
  std::string path_;
  std::unique_ptr<simdjson::dom::parser> parser_ = std::make_unique<simdjson::dom::parser>();  // object_ points into it
  simdjson::dom::object object_;
};

}  // namespace orrery::astra
