// Calls of operators around a piece of work, with what they were given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace orrery::analyze {

/// Texts live as long as the recording that they are of.
struct OperatorCall {
  std::string_view name;
  std::int64_t number = 0;                 ///< which call it is: works of one call have the same
  std::string_view shapes, types, values;  ///< JSON as recorded; empty: not recorded
};

/// Of these events, in their order.
std::vector<OperatorCall> operator_calls(const trace::Trace& trace, const trace::RankTrace& rank,
                                         std::span<const trace::EventIndex> operators);

/// [["aten::linear",17,[[32,64],[64,64]],["float","float"],["",""]],...]: how they stand in Field::operators_text, null
/// for what is not recorded.
std::string to_json(std::span<const OperatorCall> calls);
/// What `to_json` wrote; the texts are parts of `json`.
std::vector<OperatorCall> operator_calls_from_json(std::string_view json);
/// The name of the first.
std::string_view outermost_of(std::string_view json);

/// Operators that multiply matrices, attention and convolutions among them, by what libraries call theirs.
bool is_product_operator(std::string_view name);

/// What PyTorch's compiler and its autograd engine record around operators: it says who called them, not what they do,
/// and is another in an eager run than in a compiled one.
bool is_callers_frame(std::string_view name);

}  // namespace orrery::analyze
