#include "page/data/rank_arguments.h"

#include <algorithm>
#include <map>

#include "base/json/json_members.h"
#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "formats/kineto/other_arguments.h"
#include "page/data/codec.h"

namespace orrery::page {
namespace {

/// Longer texts (stacks, lists of a thousand tensors) are cut: the file has them.
constexpr std::size_t kLongestText = 600;

std::string cut(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return std::string(text.substr(0, end)) + "\u2026";
}

/// What the aligner needs of a recorder's clock says nothing to a reader who sees when the event began.
bool is_shown(std::string_view key) {
  return key != trace::info(trace::Field::tracer_clock).written &&
         key != trace::info(trace::Field::recorded_delta).written;
}

bool is_exact_in_script(std::int64_t value) { return zigzag(value) < kExactInScript; }

}  // namespace

std::string ArgumentColumn::text(std::int64_t value) const {
  return texts == nullptr ? std::to_string(value) : cut(texts->text(static_cast<StringId>(value)));
}

void RankArguments::add(FileColumn& column, trace::EventIndex event, std::string_view json) {
  // A key that an event has twice counts once, as it was written first.
  if (!column.values.event.empty() && column.values.event.back() == event) return;
  std::int64_t integer = 0;
  const bool is_integer = parse_number(json, integer) && is_exact_in_script(integer);
  if (!column.holds_text && is_integer) return column.values.push(event, integer);
  if (!column.holds_text) {
    column.holds_text = true;
    for (std::int64_t& value : column.values.value) value = texts_->intern(std::to_string(value));
  }
  column.values.push(event, is_json_string(json) ? texts_->intern(cut(unescape_json(string_content(json))))
                                                 : texts_->intern(cut(json)));
}

Result<RankArguments> RankArguments::read(const trace::Trace& trace, std::size_t rank_place, const EventTable& events) {
  const trace::RankTrace& rank = trace.ranks[rank_place];
  const Column<std::uint32_t>& place = events.ranks()[rank_place].place;
  const auto is_in_page = [&](trace::EventIndex event) { return place[event] != EventTable::kLeftOut; };
  RankArguments made;
  trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view, std::string_view written, trace::ValueType type,
                                                     const trace::SparseColumn& column) {
    if (!is_shown(written) || std::none_of(column.event.begin(), column.event.end(), is_in_page)) return;
    made.columns_.push_back({written, std::span(column.event.begin(), column.event.size()),
                             std::span(column.value.begin(), column.value.size()),
                             type == trace::ValueType::text ? &trace.strings : nullptr});
  });
  if (!rank.source.has_other_arguments) return made;
  std::map<std::string, FileColumn*, std::less<>> by_key;
  const Status visited =
      kineto::visit_other_arguments(rank, [&](trace::EventIndex event, std::string_view key, std::string_view json) {
        if (!is_in_page(event) || json == "null") return;
        auto column = by_key.find(key);
        if (column == by_key.end()) {
          made.from_file_.push_back({std::string(key), false, {}});
          column = by_key.emplace(key, &made.from_file_.back()).first;
        }
        made.add(*column->second, event, json);
      });
  if (!visited) return visited.error();
  for (const auto& [key, column] : by_key) {
    const trace::SparseColumn& values = column->values;
    made.columns_.push_back({column->key, std::span(values.event.begin(), values.event.size()),
                             std::span(values.value.begin(), values.value.size()),
                             column->holds_text ? made.texts_.get() : nullptr});
  }
  return made;
}

}  // namespace orrery::page
