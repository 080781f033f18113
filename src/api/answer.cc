#include <orrery/answer.h>

#include <variant>

#include "api/answer_data.h"

namespace orrery::api {
namespace {

using report::Sheet;

/// Text that is printed where nobody says how wide it may be.
constexpr std::size_t kUncut = 10'000;

bool is_text(const report::SheetColumn& column) { return report::holds_text(column.type); }

/// Finds a value of Facts by the names on the way to it. Lists are not looked into.
class FactsSearch {
 public:
  explicit FactsSearch(std::string_view name) : name_(name) {}

  void begin_object() { path_.push_back(take_key()); }
  void end_object() { path_.pop_back(); }
  void begin_array() {
    take_key();
    ++lists_;
  }
  void end_array() { --lists_; }
  void key(std::string_view name) { key_ = name; }
  template <typename T>
  void value(const T& value) {
    const std::string name = take_key();
    if (lists_ > 0 || found_ || name.empty() || full(name) != name_) return;
    if constexpr (std::is_same_v<T, std::string_view>) found_ = std::string(value);
    else found_ = static_cast<double>(value);
  }
  void null() { take_key(); }
  void raw(std::string_view text) { value(text); }
  void rows(const Sheet&) { take_key(); }
  void row(const Sheet& sheet, std::size_t row) {
    begin_object();
    members(sheet, row);
    end_object();
  }
  void members(const Sheet& sheet, std::size_t row) {
    if (lists_ > 0 || found_) return;
    for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
      const report::SheetColumn& column = sheet.columns()[c];
      if (column.people_only || sheet.is_null(c, row) || full(column.key()) != name_) continue;
      if (is_text(column)) found_ = std::string(sheet.text(c, row));
      else found_ = sheet.number(c, row);
    }
  }

  [[nodiscard]] const std::optional<std::variant<std::string, double>>& found() const { return found_; }

 private:
  std::string take_key() { return std::exchange(key_, {}); }
  std::string full(const std::string& name) const {
    std::string all;
    for (const std::string& part : path_) all += part + ".";
    return all + name;
  }

  std::string_view name_;
  std::vector<std::string> path_;
  std::string key_;
  std::size_t lists_ = 0;
  std::optional<std::variant<std::string, double>> found_;
};

}  // namespace

Error to_api(const orrery::Error& error) {
  std::string message = error.message;
  if (error.offset != orrery::Error::kNoOffset) message = "byte " + std::to_string(error.offset) + ": " + message;
  return {std::move(message), error.file, error.hint};
}

std::string_view Table::name() const { return data_->answer.sheets()[place_]->name(); }
std::size_t Table::rows() const { return data_->answer.sheets()[place_]->rows(); }
std::size_t Table::columns() const { return data_->answer.sheets()[place_]->columns().size(); }
std::string Table::key(std::size_t column) const { return data_->answer.sheets()[place_]->columns()[column].key(); }

std::optional<std::size_t> Table::find(std::string_view key) const {
  for (std::size_t c = 0; c < columns(); ++c) {
    if (this->key(c) == key) return c;
  }
  return std::nullopt;
}

std::optional<double> Table::number(std::size_t column, std::size_t row) const {
  const Sheet& sheet = *data_->answer.sheets()[place_];
  if (sheet.is_null(column, row) || is_text(sheet.columns()[column])) return std::nullopt;
  return sheet.number(column, row);
}

std::optional<std::string_view> Table::text(std::size_t column, std::size_t row) const {
  const Sheet& sheet = *data_->answer.sheets()[place_];
  if (sheet.is_null(column, row) || !is_text(sheet.columns()[column])) return std::nullopt;
  return sheet.text(column, row);
}

const std::string& Answer::headline() const { return data_->answer.headline(); }
std::string Answer::text() const { return data_->answer.to_text(kUncut, report::Style(false)); }
bool Answer::holds() const { return data_->answer.holds(); }
const std::vector<std::string>& Answer::remarks() const { return data_->remarks; }

std::string Answer::json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  data_->answer.write_json(json);
  json.end_object();
  return text;
}

std::optional<double> Answer::number(std::string_view name) const {
  FactsSearch search(name);
  data_->answer.facts().read(search);
  const double* const found = search.found() ? std::get_if<double>(&*search.found()) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<std::string> Answer::text(std::string_view name) const {
  FactsSearch search(name);
  data_->answer.facts().read(search);
  const std::string* const found = search.found() ? std::get_if<std::string>(&*search.found()) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::vector<Table> Answer::tables() const {
  std::vector<Table> tables;
  for (std::size_t place = 0; place < data_->answer.sheets().size(); ++place) tables.push_back(Table(*data_, place));
  return tables;
}

std::optional<Table> Answer::table(std::string_view name) const {
  for (const Table& table : tables()) {
    if (table.name() == name) return table;
  }
  return std::nullopt;
}

}  // namespace orrery::api
