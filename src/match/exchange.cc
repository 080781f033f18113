#include "match/exchange.h"

#include "match/communication.h"

namespace orrery::match {

using trace::Field;

std::optional<std::int64_t> bytes_of(const trace::Trace& trace, const Participation& part) {
  const trace::RankTrace& rank = trace.ranks[part.node];
  const auto dtype = rank.field(Field::dtype_text).find(part.event);
  auto elements = rank.field(Field::in_elements).find(part.event);
  if (!elements || *elements == 0) elements = rank.field(Field::out_elements).find(part.event);  // of a recv
  const std::int64_t each = dtype ? element_bytes(trace.strings.text(static_cast<StringId>(*dtype))) : 0;
  std::int64_t bytes = 0;
  if (!elements || each == 0 || __builtin_mul_overflow(*elements, each, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace orrery::match
