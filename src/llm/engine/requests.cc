#include "llm/engine/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/interner.h"
#include "base/numbers.h"
#include "base/random.h"

namespace orrery::llm {
namespace {

constexpr double kPsPerS = static_cast<double>(kPsPerSecond);
// Contexts are sums of two of these, and stay below 32 bits.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;

std::optional<Error> broken_rule(std::uint64_t prompt, std::uint64_t generate, const RequestRules& rules) {
  // The last token is made, and never looked at.
  const std::uint64_t cached = prompt + generate - 1;
  if (cached > rules.cache_tokens)
    return Error{.message = fmt::format("prompt and tokens are {} together, and the whole cache holds {}", cached,
                                        rules.cache_tokens),
                 .hint = "more kv_blocks, or shorter requests"};
  if (prompt > rules.prompt_tokens)
    return Error{.message = fmt::format("the prompt has {} tokens, and a step at most {}", prompt, rules.prompt_tokens),
                 .hint = "chunked_prefill: true, or more max_batch_tokens"};
  return std::nullopt;
}

/// Takes cells of one table, with the first rule that one breaks.
class RequestReader {
 public:
  RequestReader(const CsvTable& table, const RequestRules& rules) : table_(table), rules_(rules) {}

  Result<Requests> read() {
    if (const Status found = find_columns(); !found) return found.error();
    if (table_.rows.empty())
      return Error{"the table has no request", table_.file, Error::kNoOffset,
                   "a line each: id, arrival_s, prompt, generate"};
    for (std::size_t row = 0; row < table_.rows.size() && !error_; ++row) take(row);
    if (error_) return std::move(*error_);
    return in_order();
  }

 private:
  Status find_columns() {
    const auto require = [&](std::string_view name, std::size_t& place) -> Status {
      const auto found = table_.find(name);
      if (!found)
        return Error{fmt::format("line 1: the table has no column '{}'", name), table_.file, Error::kNoOffset,
                     "requests have id, arrival_s, prompt and generate"};
      place = *found;
      return {};
    };
    if (Status good = require("id", id_); !good) return good;
    if (rules_.has_arrivals) {
      if (Status good = require("arrival_s", arrival_); !good) return good;
    }
    if (Status good = require("prompt", prompt_); !good) return good;
    if (Status good = require("generate", generate_); !good) return good;
    prefix_ = table_.find("prefix");
    return {};
  }

  void fail(std::size_t row, std::size_t column, std::string_view message, std::string hint = {}) {
    if (!error_) error_ = table_.error_at(row, table_.columns[column], message, std::move(hint));
  }

  void take(std::size_t row) {
    const std::vector<std::string>& cells = table_.rows[row];
    const std::string& name = cells[id_];
    if (name.empty()) return fail(row, id_, "is empty", "every request has a name of its own");
    // Number 0 is the empty text's.
    if (seen_.intern(name) <= row) return fail(row, id_, fmt::format("'{}' is there twice", name));
    const TimePs arrival = rules_.has_arrivals ? take_seconds(row) : 0;
    const std::uint32_t prompt = take_tokens(row, prompt_), generate = take_tokens(row, generate_);
    if (error_) return;
    if (const auto rule = broken_rule(prompt, generate, rules_)) return fail(row, prompt_, rule->message, rule->hint);
    read_.add(name, arrival, prompt, generate);
    if (!prefix_) return;
    take_pieces(cells[*prefix_]);
  }

  TimePs take_seconds(std::size_t row) {
    const std::string& cell = table_.rows[row][arrival_];
    const auto found = scan_number<double>(cell);
    if (!found.is_all_of(cell) || !std::isfinite(found.value))
      return fail(row, arrival_, fmt::format("must be a time in seconds, found '{}'", cell)), 0;
    if (found.value < 0 || found.value > kMostArrivalSeconds)
      return fail(row, arrival_,
                  fmt::format("must be at least 0 and at most {}, and is {}", kMostArrivalSeconds, cell)),
             0;
    return static_cast<TimePs>(std::llround(found.value * kPsPerS));
  }

  std::uint32_t take_tokens(std::size_t row, std::size_t column) {
    const std::string& cell = table_.rows[row][column];
    const auto found = scan_number<std::int64_t>(cell);
    if (!found.is_all_of(cell))
      return fail(row, column, fmt::format("must be a whole number of tokens, found '{}'", cell)), 0;
    if (found.value < 1 || found.value > kMostTokens)
      return fail(row, column, fmt::format("must be at least 1 and at most {}, and is {}", kMostTokens, cell)), 0;
    return static_cast<std::uint32_t>(found.value);
  }

  void take_pieces(std::string_view cell) {
    for (std::size_t at = 0; at < cell.size();) {
      const std::size_t begin = cell.find_first_not_of(' ', at);
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(cell.find(' ', begin), cell.size());
      read_.pieces.push_back(piece_names_.intern(cell.substr(begin, end - begin)) - 1);
      at = end;
    }
    read_.piece_ends.push_back(read_.pieces.size());
  }

  Requests in_order() {
    read_.different_pieces = static_cast<std::uint32_t>(piece_names_.size() - 1);
    if (std::is_sorted(read_.arrival_ps.begin(), read_.arrival_ps.end())) return std::move(read_);
    std::vector<RequestIndex> order(read_.size());
    std::iota(order.begin(), order.end(), RequestIndex{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](RequestIndex a, RequestIndex b) { return read_.arrival_ps[a] < read_.arrival_ps[b]; });
    Requests sorted;
    sorted.different_pieces = read_.different_pieces;
    for (const RequestIndex request : order) {
      sorted.add(read_.name(request), read_.arrival_ps[request], read_.prompt[request], read_.generate[request]);
      if (read_.piece_ends.empty()) continue;
      const auto pieces = read_.pieces_of(request);
      sorted.pieces.insert(sorted.pieces.end(), pieces.begin(), pieces.end());
      sorted.piece_ends.push_back(sorted.pieces.size());
    }
    return sorted;
  }

  const CsvTable& table_;
  const RequestRules& rules_;
  std::size_t id_ = 0, arrival_ = 0, prompt_ = 0, generate_ = 0;
  std::optional<std::size_t> prefix_;
  Interner seen_;         // names of requests
  Interner piece_names_;  // numbered in the order of the table
  Requests read_;
  std::optional<Error> error_;
};

/// Of mean 1 and the given variation (Marsaglia and Tsang: A simple method for generating gamma variables, 2000).
double next_gamma(std::uint64_t& state, double variation) {
  const double shape = 1 / (variation * variation);
  // Below 1 by way of the next whole shape, as the paper has it.
  const double grown = shape < 1 ? shape + 1 : shape;
  const double d = grown - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = next_gaussian(state), v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    const double u = 1 - next_uniform(state);
    if (std::log(u) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    const double drawn = shape < 1 ? d * v * std::pow(1 - next_uniform(state), 1 / shape) : d * v;
    return drawn / shape;
  }
}

double next_gap(std::uint64_t& state, const ArrivalLaw& law) {
  switch (law.law) {
    case ArrivalKind::poisson: return -std::log(1 - next_uniform(state)) / law.rate_per_s;
    case ArrivalKind::constant: return 1 / law.rate_per_s;
    case ArrivalKind::gamma: return next_gamma(state, law.variation) / law.rate_per_s;
  }
  return 0;
}

std::uint32_t next_length(std::uint64_t& state, const LengthLaw& law) {
  double drawn = law.mean;
  if (law.law == LengthKind::uniform) drawn *= 1 + std::sqrt(3.0) * law.variation * (2 * next_uniform(state) - 1);
  if (law.law == LengthKind::lognormal) {
    const double variance = std::log1p(law.variation * law.variation);
    drawn *= std::exp(std::sqrt(variance) * next_gaussian(state) - variance / 2);
  }
  return static_cast<std::uint32_t>(std::clamp(std::nearbyint(drawn), 1.0, law.most));
}

}  // namespace

std::span<const std::uint32_t> Requests::pieces_of(RequestIndex request) const {
  if (piece_ends.empty()) return {};
  const std::uint64_t begin = request == 0 ? 0 : piece_ends[request - 1];
  return std::span(pieces).subspan(begin, piece_ends[request] - begin);
}

std::string_view Requests::name(RequestIndex request) const {
  const std::uint64_t begin = request == 0 ? 0 : name_ends[request - 1];
  return std::string_view(names).substr(begin, name_ends[request] - begin);
}

std::optional<double> Requests::natural_rate() const {
  if (size() < 2 || arrival_ps.back() == arrival_ps.front()) return std::nullopt;
  return static_cast<double>(size() - 1) / (static_cast<double>(arrival_ps.back() - arrival_ps.front()) / kPsPerS);
}

void Requests::add(std::string_view name, TimePs arrival, std::uint32_t prompt_tokens, std::uint32_t tokens) {
  arrival_ps.push_back(arrival);
  prompt.push_back(prompt_tokens);
  generate.push_back(tokens);
  names += name;
  name_ends.push_back(names.size());
}

Result<Requests> read_requests(const CsvTable& table, const RequestRules& rules) {
  return RequestReader(table, rules).read();
}

Status check_requests(const Requests& requests, const RequestRules& rules) {
  for (RequestIndex request = 0; request < requests.size(); ++request) {
    auto rule = broken_rule(requests.prompt[request], requests.generate[request], rules);
    if (!rule) continue;
    rule->message = fmt::format("request '{}': {}", requests.name(request), rule->message);
    return std::move(*rule);
  }
  return {};
}

Requests draw_requests(const ArrivalLaw& law) {
  Requests drawn;
  auto state = static_cast<std::uint64_t>(law.seed);
  double seconds = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(law.count); ++i) {
    seconds += next_gap(state, law);
    const std::uint32_t prompt = next_length(state, law.prompt), generate = next_length(state, law.generate);
    drawn.add(fmt::format("r{}", i), static_cast<TimePs>(std::llround(seconds * kPsPerS)), prompt, generate);
  }
  return drawn;
}

void stretch_to(Requests& requests, double rate_per_s) {
  const auto natural = requests.natural_rate();
  if (!natural) return;
  const TimePs first = requests.arrival_ps.front();
  for (TimePs& arrival : requests.arrival_ps)
    arrival = first + static_cast<TimePs>(std::llround(static_cast<double>(arrival - first) * *natural / rate_per_s));
}

}  // namespace orrery::llm
