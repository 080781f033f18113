#include "llm/engine/table_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/numbers.h"

namespace orrery::llm {
namespace {

constexpr double kBytesPerElement = 2;  // of a hidden state: bf16

/// Where `x` lies among ascending points: one of them, or between two with the share of the second.
struct Position {
  std::size_t lower = 0;
  double upper_share = 0;
};
Position position_of(std::span<const double> points, double x) {
  if (x <= points.front()) return {0, 0};
  if (x >= points.back()) return {points.size() - 1, 0};
  const auto upper = static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), x) - points.begin());
  if (points[upper] == x) return {upper, 0};
  return {upper - 1, (x - points[upper - 1]) / (points[upper] - points[upper - 1])};
}

/// Times over a ragged grid of `Axes` quantities, sorted: each point of an axis has its own points of the next one.
template <std::size_t Axes>
class RaggedGrid {
 public:
  struct Row {
    std::array<double, Axes> at = {};
    double us = 0;
    std::size_t line = 0;  ///< of the table

    bool operator<(const Row& other) const { return at < other.at; }
  };

  /// Rows of different points, and at least one.
  explicit RaggedGrid(std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t axis = 0;
      // A point is new on the first axis where it differs from the one before, and on all behind.
      while (i > 0 && rows[i].at[axis] == rows[i - 1].at[axis]) ++axis;
      for (; axis < Axes; ++axis) {
        levels_[axis].points.push_back(rows[i].at[axis]);
        if (axis + 1 < Axes) levels_[axis].begins.push_back(levels_[axis + 1].points.size());
      }
      us_.push_back(rows[i].us);
    }
    for (std::size_t axis = 0; axis + 1 < Axes; ++axis) levels_[axis].begins.push_back(levels_[axis + 1].points.size());
  }

  /// Linear along each axis, the first one first.
  [[nodiscard]] double at(const std::array<double, Axes>& x) const {
    return between<0>(x, 0, levels_[0].points.size());
  }

 private:
  struct Level {
    std::vector<double> points;
    std::vector<std::size_t> begins = {};  ///< by point: where its points of the next axis begin; and the end
  };

  template <std::size_t Axis>
  [[nodiscard]] double value(const std::array<double, Axes>& x, std::size_t point) const {
    if constexpr (Axis + 1 == Axes) return us_[point];
    else return between<Axis + 1>(x, levels_[Axis].begins[point], levels_[Axis].begins[point + 1]);
  }
  template <std::size_t Axis>
  [[nodiscard]] double between(const std::array<double, Axes>& x, std::size_t begin, std::size_t end) const {
    const Position p = position_of(std::span(levels_[Axis].points).subspan(begin, end - begin), x[Axis]);
    const double lower = value<Axis>(x, begin + p.lower);
    if (p.upper_share == 0) return lower;
    return (1 - p.upper_share) * lower + p.upper_share * value<Axis>(x, begin + p.lower + 1);
  }

  std::array<Level, Axes> levels_;
  std::vector<double> us_;
};

/// The rows of a table, by the text in `group` where that names a column.
template <std::size_t Axes>
Result<std::map<std::string, RaggedGrid<Axes>>> read_grids(const CsvTable& table, std::string_view group,
                                                           const std::array<std::string_view, Axes>& axes) {
  using Row = typename RaggedGrid<Axes>::Row;
  constexpr std::string_view kTime = "time_us";
  std::vector<std::string_view> needed(axes.begin(), axes.end());
  needed.push_back(kTime);
  if (!group.empty()) needed.push_back(group);
  for (const std::string_view column : needed) {
    if (!table.find(column))
      return Error{fmt::format("line 1: the table has no column '{}'", column), table.file, Error::kNoOffset,
                   "docs/formats/llm.md lists the columns of profiled times"};
  }
  if (table.rows.empty()) return Error{"the table has no times", table.file};
  std::map<std::string, std::vector<Row>> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Row row{.line = i};
    for (std::size_t axis = 0; axis <= Axes; ++axis) {
      const std::string_view column = axis < Axes ? axes[axis] : kTime, text = table.cell(i, column);
      const auto number = scan_number<double>(text);
      if (!number.is_all_of(text) || !std::isfinite(number.value) || number.value < 0)
        return table.error_at(i, column, fmt::format("must be a number of at least 0, found '{}'", text));
      (axis < Axes ? row.at[axis] : row.us) = number.value;
    }
    rows[group.empty() ? std::string() : std::string(table.cell(i, group))].push_back(row);
  }
  std::map<std::string, RaggedGrid<Axes>> grids;
  for (auto& [name, points] : rows) {
    std::stable_sort(points.begin(), points.end());
    const auto twice =
        std::adjacent_find(points.begin(), points.end(), [](const Row& a, const Row& b) { return a.at == b.at; });
    if (twice != points.end()) return table.error_at((twice + 1)->line, axes[0], "is a point that is there twice");
    grids.emplace(name, RaggedGrid<Axes>(std::move(points)));
  }
  return grids;
}

/// How often a layer has each operation; a table need not have all.
constexpr std::array<std::pair<std::string_view, double>, 8> kPerLayer = {{{"qkv_proj", 1},
                                                                           {"rotary_emb", 1},
                                                                           {"o_proj", 1},
                                                                           {"gate_up_proj", 1},
                                                                           {"act_fn", 1},
                                                                           {"down_proj", 1},
                                                                           {"layernorm", 2},
                                                                           {"qk_norm", 1}}};
constexpr std::array<std::string_view, 2> kPerStep = {"embedding", "final_layernorm"};
constexpr std::array<std::string_view, 2> kPerSequence = {"lm_head", "sampler"};

using Curves = std::map<std::string, RaggedGrid<1>>;

/// What several operations take together; those that the table does not have take nothing.
class CurveSum {
 public:
  void add(const Curves& curves, std::string_view op, double times) {
    const auto found = curves.find(std::string(op));
    if (found != curves.end()) terms_.emplace_back(times, found->second);
  }
  [[nodiscard]] double us(double x) const {
    double sum = 0;
    for (const auto& [times, curve] : terms_) sum += times * curve.at({x});
    return sum;
  }
  [[nodiscard]] bool empty() const { return terms_.empty(); }

 private:
  std::vector<std::pair<double, RaggedGrid<1>>> terms_;
};

class TableCost : public StepCost {
 public:
  TableCost(const TableCostFields& fields, CurveSum dense, CurveSum per_sequence, RaggedGrid<4> attention,
            std::optional<RaggedGrid<2>> moe)
      : fields_(fields),
        dense_(std::move(dense)),
        per_sequence_(std::move(per_sequence)),
        attention_(std::move(attention)),
        moe_(std::move(moe)) {
    fixed_us_ = tokens_us(1) + sequences_us(1) + reduce_us(1);
  }

  [[nodiscard]] StepPrice price(const Batch& batch) const override {
    const double us = tokens_us(batch.tokens) + fields_.layers * attention_us(batch) +
                      sequences_us(std::max(1U, batch.sampled)) + reduce_us(batch.tokens);
    return {in_ps(us), in_ps(std::min(us, fixed_us_))};
  }

  [[nodiscard]] TimePs shared_experts_ps(std::uint64_t tokens, std::uint32_t most) const override {
    if (!moe_ || !fields_.experts) return 0;
    const SharedExperts& e = *fields_.experts;
    const double all = static_cast<double>(tokens), local = e.count / e.ranks;
    // How many of a rank's experts some token chose; fewer than 8 were not profiled.
    const double activated = std::max(8.0, -local * std::expm1(-all * e.top_k / e.ranks / local));
    const CostLink link = fields_.link.value_or(CostLink{});
    const double exchange = link.latency_us + bytes_us(most * fields_.width * kBytesPerElement);
    return in_ps(fields_.layers * (moe_->at({std::max(1.0, all / e.ranks), activated}) + 2 * exchange));
  }

 private:
  static TimePs in_ps(double us) { return static_cast<TimePs>(std::llround(us * kPsPerUs)); }
  [[nodiscard]] double bytes_us(double bytes) const {
    return fields_.link && fields_.link->gb_per_s > 0 ? bytes / (fields_.link->gb_per_s * 1e3) : 0;
  }

  [[nodiscard]] double tokens_us(std::uint32_t tokens) const { return dense_.us(tokens); }
  [[nodiscard]] double sequences_us(std::uint32_t sequences) const { return per_sequence_.us(sequences); }
  /// Two all-reduces of the hidden state per layer, in rings.
  [[nodiscard]] double reduce_us(std::uint32_t tokens) const {
    if (fields_.tensor <= 1) return 0;
    const double share = 2 * (fields_.tensor - 1) / fields_.tensor;
    return fields_.layers * 2 *
           (fields_.link.value_or(CostLink{}).latency_us + bytes_us(share * tokens * fields_.width * kBytesPerElement));
  }

  /// Of one piece at most and all decodes, in one kernel. Those with long contexts hold the others up a little.
  [[nodiscard]] double kernel_us(const PromptPiece& piece, const Batch& batch) const {
    const double decodes = batch.decodes;
    const auto at_context = [&](double context) {
      return attention_.at({static_cast<double>(piece.tokens), static_cast<double>(piece.before), decodes, context});
    };
    const double mean = at_context(decodes > 0 ? static_cast<double>(batch.context_sum) / decodes : 0);
    if (batch.decodes <= 1) return mean;
    return mean + fields_.skew * (at_context(batch.longest_context) - mean);
  }
  [[nodiscard]] double attention_us(const Batch& batch) const {
    if (batch.pieces.empty() && batch.decodes == 0) return 0;
    if (batch.pieces.size() <= 1) return kernel_us(batch.pieces.empty() ? PromptPiece{} : batch.pieces[0], batch);
    double sum = batch.decodes > 0 ? kernel_us({}, batch) : 0;
    for (const PromptPiece& piece : batch.pieces)
      sum += attention_.at({static_cast<double>(piece.tokens), static_cast<double>(piece.before), 0, 0});
    return sum;
  }

  const TableCostFields fields_;
  const CurveSum dense_, per_sequence_;
  const RaggedGrid<4> attention_;
  const std::optional<RaggedGrid<2>> moe_;
  double fixed_us_ = 0;
};

}  // namespace

Result<std::unique_ptr<StepCost>> table_cost(const CostTables& tables, const TableCostFields& fields) {
  auto dense = read_grids<1>(tables.dense, "op", {"tokens"});
  if (!dense) return dense.error();
  auto per_sequence = read_grids<1>(tables.per_sequence, "op", {"sequences"});
  if (!per_sequence) return per_sequence.error();
  auto attention =
      read_grids<4>(tables.attention, "", {"prefill_tokens", "prefill_context", "decodes", "decode_context"});
  if (!attention) return attention.error();
  std::optional<RaggedGrid<2>> moe;
  if (tables.moe) {
    auto read = read_grids<2>(*tables.moe, "", {"tokens", "activated_experts"});
    if (!read) return read.error();
    moe = std::move(read->begin()->second);
  }
  CurveSum by_tokens, by_sequences;
  for (const auto& [op, times] : kPerLayer) by_tokens.add(*dense, op, fields.layers * times);
  for (const std::string_view op : kPerStep) by_tokens.add(*dense, op, 1);
  for (const std::string_view op : kPerSequence) by_sequences.add(*per_sequence, op, 1);
  if (by_tokens.empty())
    return Error{"none of the operations is known", tables.dense.file, Error::kNoOffset,
                 "operations of a layer: qkv_proj, o_proj, gate_up_proj, act_fn, down_proj, layernorm, ..."};
  return std::unique_ptr<StepCost>(std::make_unique<TableCost>(fields, std::move(by_tokens), std::move(by_sequences),
                                                               std::move(attention->begin()->second), std::move(moe)));
}

}  // namespace orrery::llm
