// How far published measurements lay from predictions of their kind: what an interval around a prediction stands on.
// data/accuracy has the values, written by scripts/llm_accuracy.py from a back-test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// Eight of ten measurements lay between these ratios of measured to predicted.
struct KindAccuracy {
  std::string name;  ///< as Prediction::kind
  double rows = 0;   ///< measurements that it stands on
  double low_ratio = 0;
  double high_ratio = 0;
};

struct Accuracy {
  std::vector<KindAccuracy> kinds = {};

  /// Null: too few measurements of that kind.
  [[nodiscard]] const KindAccuracy* find(std::string_view kind) const {
    for (const KindAccuracy& one : kinds) {
      if (one.name == kind) return &one;
    }
    return nullptr;
  }
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<KindAccuracy> auto& value) {
  visitor.text("name", value.name);
  visitor.whole("rows", value.rows, kConstant);
  visitor.number("low_ratio", value.low_ratio, kConstant);
  visitor.number("high_ratio", value.high_ratio, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Accuracy> auto& value) {
  visitor.format("format", "orrery.accuracy/1");
  visitor.list("kinds", value.kinds, machine::Required{});
}

}  // namespace orrery::llm
