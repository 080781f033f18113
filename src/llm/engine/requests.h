// Requests to a serving engine: when each arrives, how long its prompt is, how many tokens it wants, and which of its
// tokens others have, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/csv.h"
#include "base/result.h"
#include "base/units.h"

namespace orrery::llm {

/// Arrivals lie no further apart: a month is beyond every log, and far from the end of what 64 bits of picoseconds
/// hold.
inline constexpr double kMostArrivalSeconds = 31 * 24 * 3600.0;

/// Which request: its place in the order of arrival.
using RequestIndex = std::uint32_t;

/// In the order of arrival, then of the table.
struct Requests {
  std::vector<TimePs> arrival_ps;
  std::vector<std::uint32_t> prompt, generate;  ///< tokens, both at least 1
  /// One per `prefix_tokens` tokens of the prompt: equal pieces stand for equal tokens, with all before them equal,
  /// too.
  std::vector<std::uint32_t> pieces = {};
  std::vector<std::uint64_t> piece_ends = {};  ///< by request; empty: no request has pieces
  std::uint32_t different_pieces = 0;
  std::string names = {};  ///< one behind the other
  std::vector<std::uint64_t> name_ends = {};

  [[nodiscard]] std::size_t size() const { return arrival_ps.size(); }
  [[nodiscard]] std::span<const std::uint32_t> pieces_of(RequestIndex request) const;
  [[nodiscard]] std::string_view name(RequestIndex request) const;
  /// Requests per second between the first and the last arrival; nothing of fewer than two moments.
  [[nodiscard]] std::optional<double> natural_rate() const;
  void add(std::string_view name, TimePs arrival, std::uint32_t prompt_tokens, std::uint32_t tokens);
};

/// What an engine can serve at all.
struct RequestRules {
  bool has_arrivals = true;                        ///< else requests come when others end, and arrival_s is not read
  std::uint64_t cache_tokens = ~std::uint64_t{0};  ///< prompt and all tokens but the last have to fit into it
  std::uint64_t prompt_tokens = ~std::uint64_t{0};
};

/// Columns id, prompt, generate, arrival_s and may be prefix: ids with blanks between them. An Error names line, column
/// and rule: what is missing, no number, negative, there twice, or more than an engine can serve.
Result<Requests> read_requests(const CsvTable& table, const RequestRules& rules);
/// The same rules for requests from elsewhere.
Status check_requests(const Requests& requests, const RequestRules& rules);

/// How long something is, by a law. Lengths are whole and at least 1.
enum class LengthKind : std::uint8_t { constant, uniform, lognormal };
inline constexpr std::array<std::string_view, 3> kLengthKindNames = {"constant", "uniform", "lognormal"};
struct LengthLaw {
  LengthKind law = LengthKind::constant;
  double mean = 1;
  double variation = 0;  ///< standard deviation over mean; of a uniform law at most 1 / sqrt 3
  double most = 1 << 20;
};

/// How far requests are apart, by a law.
enum class ArrivalKind : std::uint8_t { poisson, constant, gamma };
inline constexpr std::array<std::string_view, 3> kArrivalKindNames = {"poisson", "constant", "gamma"};
struct ArrivalLaw {
  ArrivalKind law = ArrivalKind::poisson;
  double rate_per_s = 1;
  double variation = 1;  ///< of a gamma law: standard deviation of the gaps over their mean
  double count = 1;
  double seed = 1;
  LengthLaw prompt, generate;
};

/// r0, r1, ...; the first arrives one gap after 0. The same on every machine for one seed.
Requests draw_requests(const ArrivalLaw& law);

/// Arrivals stretched about the first, so that their natural rate is `rate_per_s`.
void stretch_to(Requests& requests, double rate_per_s);

}  // namespace orrery::llm
