#include "simulate/pricing/price_cache.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/file_content.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "base/output_file.h"
#include "simulate/pricing/pricing_diagnostics.h"

namespace orrery::simulate {
namespace {

constexpr std::string_view kPricesFormat = "orrery.prices/1";
constexpr std::size_t kMaxPricesBytes = std::size_t{1} << 30;
constexpr std::size_t kReadableAfter = 64;  // what base/json_members.h asks for

bool parse_prices(std::string_view list, std::vector<TimePs>& prices) {
  bool good = true;
  const bool is_list = for_each_entry(list, [&](std::string_view entry) {
    TimePs price = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), price);
    good = good && error == std::errc() && end == entry.data() + entry.size() && price >= 0;
    prices.push_back(price);
  });
  return is_list && good && !prices.empty();
}

}  // namespace

PriceCache::PriceCache(std::optional<std::string> file, Diagnostics& diagnostics) : file_(std::move(file)) {
  std::error_code failed;
  if (!file_ || !std::filesystem::exists(*file_, failed)) return;
  Result<std::string> text = read_whole_file(*file_, kMaxPricesBytes);
  if (!text) {
    diagnostics.add(kUnusableCache, [&] { return text.error().to_string(); });
    return;
  }
  const std::size_t size = text->find_last_not_of(" \n\r\t\0") + 1;
  text->append(kReadableAfter, '\0');
  if (parse(std::string_view(*text).substr(0, size))) return;
  prices_.clear();
  diagnostics.add(kUnusableCache, [&] { return *file_ + " is no file of prices of this version"; });
}

bool PriceCache::parse(std::string_view text) {
  constexpr std::array<std::string_view, 2> kKeys = {"format", "prices"};
  std::vector<JsonMember> whole;
  if (!text.starts_with('{') || !list_members(text, whole)) return false;
  const auto [format, prices] = members_of(text, kKeys);
  if (!is_json_string(format) || string_content(format) != kPricesFormat) return false;
  std::vector<JsonMember> entries;
  if (prices.empty() || !list_members(prices, entries)) return false;
  for (const JsonMember& entry : entries) {
    std::vector<TimePs> values;
    if (!parse_prices(entry.value, values)) return false;
    prices_.emplace(entry.key, std::move(values));
  }
  return true;
}

const std::vector<TimePs>* PriceCache::find(const std::string& signature) const {
  const auto found = prices_.find(signature);
  return found == prices_.end() ? nullptr : &found->second;
}

void PriceCache::keep(std::string signature, std::vector<TimePs> prices) {
  prices_.insert_or_assign(std::move(signature), std::move(prices));
  changed_ = true;
}

void PriceCache::save(Diagnostics& diagnostics) {
  if (!file_ || !changed_) return;
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("format", kPricesFormat).key("prices").begin_object();
  for (const auto& [signature, prices] : prices_) {
    json.key(signature).begin_array();
    for (const TimePs price : prices) json.value(price);
    json.end_array();
  }
  json.end_object().end_object();
  text += '\n';
  if (const Status written = write_whole_file(*file_, text); !written)
    diagnostics.add(kUnusableCache, [&] { return written.error().to_string(); });
  changed_ = false;
}

}  // namespace orrery::simulate
