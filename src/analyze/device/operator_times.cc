#include "analyze/device/operator_times.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analyze/capture/graph_launches.h"
#include "analyze/capture/operator_calls.h"
#include "analyze/distribution.h"
#include "base/percent.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Type;
using report::Unit;
using trace::EventIndex;
using trace::Field;

enum class Source : std::uint8_t { none, trace, capture, eager };
constexpr const char* kSources[] = {"", "trace", "capture", "eager"};

/// Two operators and who says so, as one number: texts have ids.
struct Key {
  StringId op = 0, top = 0;
  Source source = Source::none;
  auto operator<=>(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return (std::uint64_t{key.op} << 32 | key.top) * 0x9E3779B97F4A7C15ull ^ static_cast<std::size_t>(key.source);
  }
};

struct Sum {
  std::size_t works = 0;
  TimePs time = 0;
};

void add_rank(report::Sheet& sheet, const DeviceRank& devices) {
  const trace::RankTrace& rank = *devices.rank;
  const Interner& strings = devices.trace->strings;
  // Of joined work `top` is the whole chain, which is cut when rows are made: it is the same for all that have it.
  std::unordered_map<Key, Sum, KeyHash> sums;
  TimePs all = 0;
  const bool any_joined = !rank.field(Field::origin_text).event.empty();
  GraphLaunchNames graph_launches(strings);
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (!devices.belongs(w)) continue;
    const causal::DeviceWork& work = devices.timeline.works[w];
    Key key;
    const bool is_graph = work.call != causal::kNoEvent && graph_launches.contains(rank.name[work.call]);
    if (is_graph && any_joined) {
      if (const auto source = rank.field(Field::origin_text).find(work.event)) {
        key.source = strings.text(static_cast<StringId>(*source)) == "eager" ? Source::eager : Source::capture;
        key.op = static_cast<StringId>(rank.field(Field::operator_text).find(work.event).value_or(0));
        key.top = static_cast<StringId>(rank.field(Field::operators_text).find(work.event).value_or(0));
      }
    } else if (!is_graph && !devices.operators.empty() && devices.operators[w] != causal::kNoEvent) {
      EventIndex top = devices.operators[w];
      while (devices.operator_around[top] != causal::kNoEvent) top = devices.operator_around[top];
      key = {rank.name[devices.operators[w]], rank.name[top], Source::trace};
    }
    Sum& sum = sums[key];
    ++sum.works;
    sum.time = plus_capped(sum.time, devices.time_of(w));
    all = plus_capped(all, devices.time_of(w));
  }
  struct Row {
    std::string_view op, top;
    Source source;
    Sum sum;
  };
  std::vector<Row> rows;
  for (const auto& [key, sum] : sums) {
    const bool is_joined = key.source == Source::capture || key.source == Source::eager;
    rows.push_back({strings.text(key.op), is_joined ? outermost_of(strings.text(key.top)) : strings.text(key.top),
                    key.source, sum});
  }
  const auto name = [](const Row& row) { return std::tuple(row.op, row.top, row.source); };
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return name(a) < name(b); });
  // Chains that differ in the middle have one row.
  std::vector<Row> merged;
  for (const Row& row : rows) {
    if (merged.empty() || name(merged.back()) != name(row)) merged.push_back({row.op, row.top, row.source, {}});
    merged.back().sum.works += row.sum.works;
    merged.back().sum.time = plus_capped(merged.back().sum.time, row.sum.time);
  }
  std::stable_sort(merged.begin(), merged.end(), [](const Row& a, const Row& b) { return a.sum.time > b.sum.time; });
  const auto text = [](std::string_view t) { return t.empty() ? Cell(nullptr) : Cell(t); };
  for (const Row& row : merged)
    sheet.add_row({rank.rank, text(row.op), row.op.empty() ? std::string_view("(not known)") : row.op, text(row.top),
                   row.sum.works, row.sum.time, share_percent(row.sum.time, all),
                   text(kSources[static_cast<std::size_t>(row.source)])});
}

}  // namespace

report::Sheet by_operator_sheet(const std::vector<DeviceRank>& ranks) {
  report::Sheet sheet("by_operator");
  const bool are_runs = !ranks.empty() && ranks.front().rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact})
      .add({.name = "operator"})
      .add({.name = "operator_in_words", .title = "operator", .people_only = true})
      .add({.name = "top_operator", .title = "within"})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "pct", .type = Type::real, .unit = Unit::pct, .title = "of all", .with_bar = true})
      .add({.name = "source", .title = "told by"});
  for (const DeviceRank& devices : ranks) add_rank(sheet, devices);
  return sheet;
}

}  // namespace orrery::analyze
