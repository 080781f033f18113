#include "formats/rocprof/rocpd_tables.h"

#include <algorithm>

namespace orrery::rocprof {
namespace {

/// 0199a000_1000_7abc_8def_000000c0ffee: 8, 4, 4, 4 and 12 digits.
bool is_guid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_gap = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (is_gap ? c != '_' && c != '-' : !is_digit) return false;
  }
  return true;
}

}  // namespace

TableName table_name(std::string_view table) {
  static constexpr std::string_view kPrefix = "rocpd_";
  static constexpr std::size_t kGuid = 36;
  if (!table.starts_with(kPrefix)) return {};
  table.remove_prefix(kPrefix.size());
  if (table.size() > kGuid + 1 && table[table.size() - kGuid - 1] == '_' && is_guid(table.substr(table.size() - kGuid)))
    return {table.substr(0, table.size() - kGuid - 1), table.substr(table.size() - kGuid)};
  return {table, {}};
}

References& RocpdTables::references_of(std::string_view guid, std::string_view in_name) {
  if (last_ != nullptr && (guid.empty() ? in_name : guid) == last_guid_) return *last_;
  last_guid_ = guid.empty() ? in_name : guid;
  // Names of tables have _ where the id has -.
  std::string key = last_guid_;
  std::replace(key.begin(), key.end(), '_', '-');
  std::unique_ptr<References>& references = recordings_[key];
  if (references == nullptr) references = std::make_unique<References>();
  last_ = references.get();
  return *last_;
}

Status RocpdTables::end(const std::string& table, const SqliteRows& rows) {
  if (rows.long_values() > 0) diagnostics.add_many(kLongValue, rows.long_values(), path + ": " + table);
  if (!rows.damage()) return {};
  if (!salvages_) return *rows.damage();
  diagnostics.add(kSalvaged, [&] { return rows.damage()->to_string(); });
  return {};
}

}  // namespace orrery::rocprof
