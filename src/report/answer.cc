#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::report {
namespace {

/// A JsonWriter that knows Sheets, too.
class FactsToJson {
 public:
  explicit FactsToJson(JsonWriter& json) : json_(json) {}
  void begin_object() { json_.begin_object(); }
  void end_object() { json_.end_object(); }
  void begin_array() { json_.begin_array(); }
  void end_array() { json_.end_array(); }
  void key(std::string_view name) { json_.key(name); }
  template <typename T>
  void value(const T& value) {
    json_.value(value);
  }
  void null() { json_.null(); }
  void raw(std::string_view json) { json_.raw(json); }
  void row(const Sheet& sheet, std::size_t row) { write_row(json_, sheet, row); }
  void members(const Sheet& sheet, std::size_t row) { write_members(json_, sheet, row); }
  void rows(const Sheet& sheet) {
    json_.begin_array();
    for (std::size_t row = 0; row < sheet.rows(); ++row) write_row(json_, sheet, row);
    json_.end_array();
  }

 private:
  JsonWriter& json_;
};

}  // namespace

std::uint64_t Facts::number_of(std::string_view key) {
  // Rows of one list have their keys in one order: the one that came next last time is nearly always the one.
  if (last_key_ < next_key_.size() && keys_.text(next_key_[last_key_]) == key) return last_key_ = next_key_[last_key_];
  const StringId number = keys_.intern(key);
  next_key_.resize(keys_.size());
  next_key_[last_key_] = number;
  return last_key_ = number;
}

void Facts::write_json(JsonWriter& json) const { read(FactsToJson(json)); }

Answer& Answer::headline(std::string sentence) {
  headline_ = std::move(sentence);
  text(headline_, Tone::strong);
  return text("\n");
}

Answer& Answer::line(std::string_view text, Tone tone) {
  if (!text.empty()) this->text(text, tone);
  return this->text("\n");
}

Answer& Answer::text(std::string_view text, Tone tone) {
  if (!for_people() || text.empty()) return *this;
  // Neighbours of one tone are one piece.
  auto* const last = parts_.empty() ? nullptr : std::get_if<Painted>(&parts_.back());
  // Only plain ones, because painted pieces carry their marks around them.
  if (last != nullptr && last->tone == tone && tone == Tone::plain) last->text += text;
  else parts_.emplace_back(Painted{std::string(text), tone});
  return *this;
}

Answer& Answer::next(std::string_view question, std::string_view command) {
  return line(fmt::format("Next: {}  {}", question, command));
}

Answer& Answer::table(Sheet sheet, const Shown& shown) {
  if (!reads(shown.readers)) return *this;
  const auto kept = std::make_shared<const Sheet>(std::move(sheet));
  // Kept alive together: text, facts and CSV may all show the same sheet later.
  sheets_.push_back(kept);
  const auto is_for = [&](Readers one) {
    return reads(one) && (static_cast<unsigned>(shown.readers) & static_cast<unsigned>(one)) != 0;
  };
  if (is_for(Readers::people)) {
    if (shown.after_gap && kept->rows() > 0) gap();
    const SheetView& view = shown.view;
    parts_.emplace_back(
        Table{kept, view, shown.as_lines, std::string(view.rest), std::string(view.largest), std::string(view.total)});
  }
  if (!is_for(Readers::programs)) return *this;
  if (shown.form == Form::members) {
    facts_.members(kept, 0);
    return *this;
  }
  facts_.key(shown.key.empty() ? kept->name() : shown.key);
  if (shown.form == Form::rows) facts_.rows(kept);
  else facts_.row(kept, 0);
  return *this;
}

std::string Answer::to_text(std::size_t table_width, const Style& style) const {
  std::string out;
  for (const auto& part : parts_) {
    if (const auto* painted = std::get_if<Painted>(&part)) {
      out += painted->tone == Tone::plain ? painted->text : style.paint(painted->tone, painted->text);
      continue;
    }
    const Table& table = std::get<Table>(part);
    SheetView view = table.view;
    view.width = table_width;
    view.style = style;
    view.rest = table.rest;
    view.largest = table.largest;
    view.total = table.total;
    out += table.as_lines ? to_lines(*table.sheet, 0, view.indent) : report::to_text(*table.sheet, view);
  }
  return out;
}

std::string Answer::to_csv() const {
  // One table needs no name, and is CSV without a comment.
  if (sheets_.size() == 1) return report::to_csv(*sheets_.front());
  std::string out;
  for (const auto& sheet : sheets_)
    out += (out.empty() ? "# " : "\n# ") + sheet->name() + "\n" + report::to_csv(*sheet);
  return out;
}

std::string shell_quote(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  };
  // ~ and [ are left out on purpose: the shell would look for files.
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\''";  // nothing is special within single quotes, not even a backslash
    else quoted += c;
  }
  return quoted + "'";
}

}  // namespace orrery::report
