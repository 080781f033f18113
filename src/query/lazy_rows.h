// Rows that are made at the first question and kept for the next.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "query/rows.h"

namespace orrery::query {

/// `make` returns Result<std::unique_ptr<Rows>>; it is called once, or again after an Error.
template <typename Make>
std::function<Result<const Rows*>()> made_once(Make make) {
  return [make = std::move(make), rows = std::shared_ptr<std::unique_ptr<Rows>>(
                                      std::make_shared<std::unique_ptr<Rows>>())]() -> Result<const Rows*> {
    if (*rows == nullptr) {
      Result<std::unique_ptr<Rows>> made = make();
      if (!made) return made.error();
      *rows = std::move(*made);
    }
    return static_cast<const Rows*>(rows->get());
  };
}

}  // namespace orrery::query
