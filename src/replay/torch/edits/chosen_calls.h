// Which rows of a host trace are called again.
#pragma once

#include <optional>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/build/collective_call.h"
#include "replay/torch/build/lifetimes.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/recorded_call.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// The schemas of a host trace, each parsed once.
class Schemas {
 public:
  explicit Schemas(const trace::HostTrace& host, const Interner& strings);
  Schemas(const Schemas&) = delete;
  Schemas& operator=(const Schemas&) = delete;

  /// By the number of the text; null: none, or none that makes sense.
  [[nodiscard]] const std::vector<const pytorch_et::OperatorSchema*>& by_text() const { return by_text_; }
  [[nodiscard]] bool any() const { return any_; }

 private:
  std::vector<std::optional<pytorch_et::OperatorSchema>> parsed_;
  std::vector<const pytorch_et::OperatorSchema*> by_text_;
  bool any_ = false;
};

struct ChosenCalls {
  /// Per row: the row that is done again as a whole, itself or one above; causal::kNoRow. Those are called or
  /// communicate, and what communicates on the side of the host (gloo:all_reduce) is part of what was asked for before.
  std::vector<std::uint32_t> call_of;
  std::vector<std::uint32_t> number;      ///< per row that is called: into `calls`
  std::vector<std::uint32_t> collective;  ///< per row that communicates: into `collectives`
  std::vector<std::uint32_t> rows;        ///< that are called, in order of their begins
  std::vector<RecordedCall> calls;
  std::vector<CollectiveCall> collectives;
};

/// Calls that communicate; operators that launched device work themselves, as a whole where one of them called others;
/// without device work, operators that called none, or made what they return though they called some. Of two forms of
/// one operator, one in the other, that with the number. Those that cannot be called (no schema, arguments that were
/// not recorded) leave it to what they called.
ChosenCalls choose_calls(const RankSource& source, const Schemas& schemas, const trace::HostArguments& arguments,
                         const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
