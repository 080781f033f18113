#include "causal/hta/step_numbers.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/numbers.h"

namespace orrery::causal::hta {
namespace {

constexpr std::string_view kStepWord = "ProfilerStep";

/// From `begin` up to the next piece, moments belong to this step.
struct StepPiece {
  TimePs begin;
  std::int64_t step;
};

struct StepRow {
  TimePs begin, end;
  std::int64_t step;
};

// Steps may nest or overlap: time is cut where one begins or ends, and each piece goes to the last in file order that
// covers it.
std::vector<StepPiece> cut_into_pieces(const std::vector<StepRow>& marks) {
  struct Border {
    TimePs time;
    std::size_t mark;
    bool opens;
  };
  std::vector<Border> borders;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].end <= marks[i].begin) continue;  // nothing starts in it
    borders.push_back({marks[i].begin, i, true});
    borders.push_back({marks[i].end, i, false});
  }
  std::sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) { return a.time < b.time; });
  std::vector<StepPiece> pieces;
  std::set<std::size_t> open;
  for (std::size_t i = 0; i < borders.size();) {
    const TimePs time = borders[i].time;
    for (; i < borders.size() && borders[i].time == time; ++i) {
      if (borders[i].opens) open.insert(borders[i].mark);
      else open.erase(borders[i].mark);
    }
    pieces.push_back({time, open.empty() ? kNoStep : marks[*open.rbegin()].step});
  }
  return pieces;
}

std::int64_t step_at(const std::vector<StepPiece>& pieces, TimePs time) {
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), time,
                                      [](TimePs t, const StepPiece& piece) { return t < piece.begin; });
  return after == pieces.begin() ? kNoStep : std::prev(after)->step;
}

}  // namespace

std::optional<std::int64_t> step_number(std::string_view name) {
  if (!name.starts_with(kStepWord)) return std::nullopt;
  name.remove_prefix(kStepWord.size());
  const auto skip_blanks = [&] { name.remove_prefix(std::min(name.find_first_not_of(" \t\n\r\f\v"), name.size())); };
  skip_blanks();
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  skip_blanks();
  // A number may have a minus sign, which is no digit.
  return name.starts_with('-') ? std::nullopt : leading_number<std::int64_t>(name);
}

Column<std::int64_t> number_steps(const Rows& rows) {
  std::vector<StepRow> marks;
  const StringId cpu_op = rows.trace->strings.find("cpu_op");
  for (RowIndex r = 0; r < rows.size(); ++r) {
    const std::string_view name = rows.name_text(r);
    if (name.starts_with(kStepWord)) marks.push_back({rows.ts[r], rows.end(r), step_number(name).value_or(kNoStep)});
  }
  const std::vector<StepPiece> pieces = cut_into_pieces(marks);
  Column<std::int64_t> steps(rows.size(), kNoStep);
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (rows.stream[r] < 0 || (rows.stream[r] == 0 && rows.category(r) == cpu_op))
      steps[r] = step_at(pieces, rows.ts[r]);
  }
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (rows.stream[r] <= 0 || rows.partner[r] <= 0) continue;
    // The partner may have been dropped since by the step filter, so not Rows::find.
    const auto* const at =
        std::lower_bound(rows.index.begin(), rows.index.end(), static_cast<std::uint32_t>(rows.partner[r]));
    if (at != rows.index.end() && *at == rows.partner[r])
      steps[r] = steps[static_cast<std::size_t>(at - rows.index.begin())];
  }
  return steps;
}

}  // namespace orrery::causal::hta
