#include "simulate/pricing/price_book.h"

#include <fmt/format.h>

#include <utility>

#include "simulate/models/phased_model.h"
#include "simulate/pricing/operations_workload.h"

namespace orrery::simulate {
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
  if (const auto* const known = cache_.find(*signature); known != nullptr && known->size() == ops.size()) {
    ++hits_;
    return *known;
  }
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
      astra_simulates(op) ? ask(std::span(&op, 1))
                          : Result<std::vector<TimePs>>(Error{.message = fmt::format("ASTRA-sim does not simulate {}{}",
                                                                                     op.parts.empty() ? "" : "unequal parts of ",
                                                                                     workload::to_string(op.collective))});
  if (price) return Answer{(*price)[0]};
  if (first_refusal_.empty()) first_refusal_ = price.error().to_string();
  const auto plan = lowering_.plan(op);
  if (!plan) return plan.error();
  return Answer{isolated_price(**plan, bytes_moved(op)).total_ps, true};
}

Result<PriceBook::Answer> PriceBook::alone(const CommOp& op) {
  std::string key = literal_key(op);
  if (const auto known = alone_.find(key); known != alone_.end()) {
    ++hits_;
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
