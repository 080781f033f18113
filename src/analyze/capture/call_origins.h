// What a call of the host belongs to: the operators, modules and annotations around it on its thread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/nesting.h"
#include "trace/trace.h"

namespace orrery::analyze {

struct CallOrigin {
  std::vector<trace::EventIndex> operators;    ///< outermost first
  std::vector<trace::EventIndex> annotations;  ///< innermost first
  std::string modules;  ///< "GPT_0/Block_3", outermost first: the Python frames called "nn.Module: ..."; empty: none
};

class CallOrigins {
 public:
  /// Both must outlive it. The first question takes O(events log events).
  CallOrigins(const trace::Trace& trace, const trace::RankTrace& rank);

  /// Of calls that lie in the same event the same; looked for once. Valid as long as this is.
  const CallOrigin& of(trace::EventIndex call);

 private:
  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  std::optional<trace::Nesting> nesting_;  // made when somebody asks: whoever looks at graphs alone need not
  std::unordered_map<trace::EventIndex, CallOrigin> known_;  // by what is around the call
};

}  // namespace orrery::analyze
