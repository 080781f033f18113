#include "simulate/pricing/price_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/json/json_members.h"
#include "base/json/json_writer.h"
#include "base/numbers.h"
#include "simulate/models/phased_model.h"
#include "simulate/pricing/operations_workload.h"
#include "simulate/pricing/pricing_report.h"

// A question becomes a text: the operations, their ranks by places that are alike on this machine, and the links that
// each phase loads. Its hash is the signature under which the price is kept, in memory and in a file. In front of that
// stands a table of questions word for word, since making a signature costs more than most lookups.

namespace orrery::simulate {
namespace {

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint64_t hash_of(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.xxh3();
}

/// One kind of link, and how heavily an operation loads it.
using LinkKind = std::tuple<double, double, TimePs>;  // weight, bytes per second, latency

}  // namespace

std::uint64_t topology_epoch(const machine::Network& network) {
  ContentHash hash;
  // Everything about a link that a price may depend on; its number is where it stands.
  for (const machine::Link& link : network.links()) {
    hash.add(bytes_of(link.from));
    hash.add(bytes_of(link.to));
    hash.add(bytes_of(link.bytes_per_second));
    hash.add(bytes_of(link.latency_ps));
  }
  return hash.xxh3();
}

PriceSignatures::PriceSignatures(const machine::Machine& machine, Lowering& lowering, std::string_view model)
    : machine_(machine),
      lowering_(lowering),
      prefix_(fmt::format("{}\n{:016x}\n", model, topology_epoch(lowering.network()))) {}

/// The rank's coordinates by names that do not depend on which ring position or port was first.
void PriceSignatures::add_place(std::uint32_t rank) {
  std::int64_t rest = rank;
  for (std::size_t d = 0; d < machine_.network.size(); ++d) {
    const machine::Dimension& dimension = machine_.network[d];
    const std::int64_t coordinate = rest % dimension.size;
    rest /= dimension.size;
    std::vector<std::int64_t>& seen = seen_[d];
    const auto known = std::find(seen.begin(), seen.end(), coordinate);
    // The how-manieth different coordinate this is: names of ports in the order of first use.
    const std::int64_t order = known - seen.begin();
    if (known == seen.end()) seen.push_back(coordinate);
    std::int64_t name = coordinate;  // of a topology whose places are not alike
    // A ring looks the same from every place, and the ports of a switch can be exchanged: what lies alike is priced
    // once.
    if (dimension.topology == machine::Topology::ring) name = (coordinate - seen[0] + dimension.size) % dimension.size;
    if (dimension.topology == machine::Topology::switched || dimension.topology == machine::Topology::fully_connected)
      name = order;
    text_ += fmt::format("{},", name);
  }
  text_ += ' ';
}

Status PriceSignatures::add_usage(const CommOp& op) {
  const auto plan = lowering_.plan(op);
  if (!plan) return plan.error();
  text_ += fmt::format("{} {}\n", to_string((*plan)->algorithm), (*plan)->launch_ps);
  const std::span<const machine::Link> links = lowering_.network().links();
  for (const PlanPhase& phase : (*plan)->phases) {
    std::vector<LinkKind> kinds;
    for (const LinkShare& share : phase.shares)
      kinds.emplace_back(share.weight, links[share.link].bytes_per_second, links[share.link].latency_ps);
    // Sorted and counted, since which of the links they are does not change the price.
    std::sort(kinds.begin(), kinds.end());
    text_ += fmt::format("phase {} {} {}:", phase.bytes_per_byte, phase.alpha_ps, phase.steps);
    for (std::size_t i = 0; i < kinds.size();) {
      const std::size_t first = i;
      while (i < kinds.size() && kinds[i] == kinds[first]) ++i;
      text_ += fmt::format(" {}x{}@{}+{}", i - first, std::get<0>(kinds[first]), std::get<1>(kinds[first]),
                           std::get<2>(kinds[first]));
    }
    text_ += '\n';
  }
  return {};
}

Result<std::string> PriceSignatures::of(std::span<const CommOp> ops) {
  seen_.assign(machine_.network.size(), {});
  text_ = prefix_;
  for (const CommOp& op : ops) {
    const bool message = op.kind == CommOp::Kind::message;
    text_ += fmt::format("{} {} {} {}\n", message ? "message" : workload::to_string(op.collective), op.bytes, op.root,
                         op.ranks.size());
    for (const std::uint32_t rank : op.ranks) add_place(rank);
    for (const std::int64_t part : op.parts) text_ += fmt::format("{};", part);
    text_ += '\n';
    if (Status used = add_usage(op); !used) return used.error();
  }
  // In front of the hash what people look for when they read the file.
  const CommOp& first = ops[0];
  const std::string_view kind = ops.size() > 1                        ? "set"
                                : first.kind == CommOp::Kind::message ? "message"
                                                                      : workload::to_string(first.collective);
  const std::size_t members = ops.size() > 1 ? ops.size() : first.ranks.size();
  std::int64_t bytes = 0;
  for (const CommOp& op : ops) bytes += op.bytes;
  return fmt::format("{}/{}/{}/{:016x}", kind, bytes, members, hash_of(text_));
}

namespace {

constexpr std::string_view kPricesFormat = "orrery.prices/1";
// A gigabyte of prices: some ten million. A larger file is none that was written here.
constexpr std::size_t kMaxPricesBytes = std::size_t{1} << 30;
constexpr std::size_t kReadableAfter = 64;  // what base/json/json_members.h asks for

bool parse_prices(std::string_view list, std::vector<TimePs>& prices) {
  bool good = true;
  const bool is_list = for_each_entry(list, [&](std::string_view entry) {
    TimePs price = -1;
    good = good && parse_number(entry, price) && price >= 0;
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
  const std::size_t size = text->find_last_not_of(" \n\r\t") + 1;
  text->append(kReadableAfter, '\0');
  if (parse(std::string_view(*text).substr(0, size))) return;
  // Half a file is no file: prices of one version only.
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
  // Nothing new: the file stays as it is, and so does its date.
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

namespace {

template <typename T>
void append_bytes(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// An operation word for word: cheap, unlike a signature.
std::string literal_key(const CommOp& op) {
  std::string key;
  append_bytes(key, op.kind);
  append_bytes(key, op.collective);
  append_bytes(key, op.root);
  append_bytes(key, op.bytes);
  for (const std::uint32_t rank : op.ranks) append_bytes(key, rank);
  for (const std::int64_t part : op.parts) append_bytes(key, part);
  return key;
}

}  // namespace

PriceBook::PriceBook(const PriceOracle& oracle, const machine::Machine& machine, Lowering& lowering, PriceCache& cache)
    : oracle_(oracle), lowering_(lowering), cache_(cache), signatures_(machine, lowering, oracle.version) {}

Result<std::vector<TimePs>> PriceBook::ask(std::span<const CommOp> ops) {
  Result<std::string> signature = signatures_.of(ops);
  if (!signature) return signature.error();
  // A set of another size has the signature by accident.
  if (const auto* const known = cache_.find(*signature); known != nullptr && known->size() == ops.size()) {
    ++hits_;
    return *known;
  }
  // What was refused is not asked again in this run, but in the next: the program may have been mended.
  if (const auto failed = failures_.find(*signature); failed != failures_.end()) {
    ++hits_;
    return failed->second;
  }
  ++asked_;
  Result<std::vector<TimePs>> prices = oracle_.ask(ops);
  if (prices && prices->size() != ops.size())
    prices = Error{.message = fmt::format("{} operations but {} prices", ops.size(), prices->size())};
  if (prices) cache_.keep(std::move(*signature), *prices);
  else failures_.emplace(std::move(*signature), prices.error());
  return prices;
}

Result<PriceBook::Answer> PriceBook::ask_alone(const CommOp& op) {
  if (is_done_at_once(op)) return Answer{};
  Result<std::vector<TimePs>> price =
      // What it refuses anyway is not asked.
      astra_simulates(op)
          ? ask(std::span(&op, 1))
          : Result<std::vector<TimePs>>(Error{.message = fmt::format("ASTRA-sim does not simulate {}{}",
                                                                     op.parts.empty() ? "" : "unequal parts of ",
                                                                     workload::to_string(op.collective))});
  if (price) return Answer{(*price)[0]};
  if (first_refusal_.empty()) first_refusal_ = price.error().to_string();
  // Without an answer it takes what the links give it alone, and is counted.
  const auto plan = lowering_.plan(op);
  if (!plan) return plan.error();
  return Answer{isolated_price(**plan, bytes_moved(op)).total_ps, true};
}

Result<PriceBook::Answer> PriceBook::alone(const CommOp& op) {
  std::string key = literal_key(op);
  if (const auto known = alone_.find(key); known != alone_.end()) {
    ++hits_;
    // Fallbacks are counted with every use, since each use is less exact for it.
    fallbacks_ += known->second.is_fallback ? 1 : 0;
    return known->second;
  }
  Result<Answer> answer = ask_alone(op);
  if (!answer) return answer;
  fallbacks_ += answer->is_fallback ? 1 : 0;
  alone_.emplace(std::move(key), *answer);
  return answer;
}

Result<std::vector<TimePs>> PriceBook::together(std::span<const CommOp> ops) { return ask(ops); }

}  // namespace orrery::simulate
