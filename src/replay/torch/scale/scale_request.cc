#include "replay/torch/scale/scale_request.h"

#include <fmt/format.h>

#include <numeric>

#include "base/numbers.h"
#include "replay/torch/write/tensor_text.h"

namespace orrery::replay::torch {
namespace {

// Of "batch 2", as it was asked.
std::string selector_text(const ScaleRequest& request) { return request.text.substr(0, request.text.find(' ')); }
std::string factor_text(const ScaleRequest& request) { return request.text.substr(request.text.find(' ') + 1); }

}  // namespace

Error ScaleRefusals::cannot_follow(std::uint32_t row, const std::string& why) const {
  const trace::HostTrace& host = *source_.host;
  return {fmt::format("{} (node {}) cannot follow where {} is scaled by {}: {}", source_.strings->text(host.name[row]),
                      host.id[row], selector_text(request_), factor_text(request_), why),
          host.path, Error::kNoOffset, "nothing was written; docs/REPLAY.md says which operators can be scaled"};
}

Error ScaleRefusals::nothing_selected() const {
  const std::string& path = source_.host->path;
  if (request_.what == ScaleRequest::What::size)
    return {fmt::format("no dimension of a size of {} is among the tensors of this recording", request_.size), path};
  return {"no data was found whose " + std::string(request_.what == ScaleRequest::What::batch ? "first" : "second") +
              " dimension could be it: nothing is copied to the device, used as indices or filled at random",
          path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
}

Error ScaleRefusals::no_whole_number(std::int64_t size) const {
  return {fmt::format("a size of {} cannot be scaled by {}: that is no whole number", size, factor_text(request_)),
          source_.host->path};
}

namespace {

constexpr std::int64_t kMostTimes = 1'000'000;
constexpr std::size_t kMostDecimals = 6;

// "2", "0.5", "1.25": decimals are exact, unlike the double that is nearest.
std::optional<Factor> parse_factor(std::string_view text) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::int64_t denominator = 1;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    if (decimals.empty() || decimals.size() > kMostDecimals) return std::nullopt;
    digits += decimals;
    for (std::size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
  }
  if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const std::int64_t numerator = parse_number<std::int64_t>(digits).value_or(0);
  if (numerator <= 0 || numerator / denominator > kMostTimes) return std::nullopt;
  // In lowest terms, so that as many sizes as possible can be divided.
  const std::int64_t common = std::gcd(numerator, denominator);
  return Factor{numerator / common, denominator / common};
}

}  // namespace

std::optional<std::int64_t> Factor::times(std::int64_t size) const {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(size, numerator, &product) || product % denominator != 0) return std::nullopt;
  return product / denominator;
}

Result<ScaleRequest> parse_scale(std::string_view selector, std::string_view factor) {
  ScaleRequest request;
  request.text = std::string(selector) + " " + std::string(factor);
  constexpr std::string_view kSize = "size:";
  if (selector == "batch") {
    request.what = ScaleRequest::What::batch;
  } else if (selector == "sequence") {
    request.what = ScaleRequest::What::sequence;
  } else if (selector.starts_with(kSize)) {
    request.what = ScaleRequest::What::size;
    request.size = parse_number<std::int64_t>(selector.substr(kSize.size())).value_or(0);
    if (request.size < 2)
      return Error{"'" + std::string(selector) + "' is no size of a dimension",
                   {},
                   Error::kNoOffset,
                   "like size:2048; a size of 1 is what broadcasts",
                   Error::Kind::misuse};
  } else {
    return Error{"'" + std::string(selector) + "' selects no dimension",
                 {},
                 Error::kNoOffset,
                 "batch, sequence, or a size as in size:2048",
                 Error::Kind::misuse};
  }
  const auto parsed = parse_factor(factor);
  if (!parsed)
    return Error{"'" + std::string(factor) + "' is no factor",
                 {},
                 Error::kNoOffset,
                 "a number above 0 and up to a million, like 2 or 0.5",
                 Error::Kind::misuse};
  request.factor = *parsed;
  return request;
}

}  // namespace orrery::replay::torch
