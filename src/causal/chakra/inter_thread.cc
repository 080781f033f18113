#include "causal/chakra/inter_thread.h"

#include <algorithm>

#include "trace/host_trace.h"

namespace orrery::causal::chakra {
namespace {

constexpr double kPauseUs = 1000;
constexpr std::uint32_t kNoThread = ~std::uint32_t{0};

class Lookup {
 public:
  explicit Lookup(const HostOps& ops) : ops_(ops), last_of_other_(ops.size(), kNoThread) {
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops.thread[i] >= first_op_.size()) first_op_.resize(ops.thread[i] + 1, kNoThread);
      if (first_op_[ops.thread[i]] == kNoThread) first_op_[ops.thread[i]] = i;
      if (i > 0) last_of_other_[i] = ops.thread[i - 1] != ops.thread[i] ? i - 1 : last_of_other_[i - 1];
    }
  }

  // The operator of another thread that starts last before operator `i`; kNoThread if there is none.
  [[nodiscard]] std::uint32_t before(std::uint32_t i) const {
    const std::uint32_t thread = ops_.thread[i];
    const auto at = static_cast<std::uint32_t>(std::lower_bound(ops_.ts.begin(), ops_.ts.end(), ops_.ts[i]) - ops_.ts.begin());
    if (at == 0) return kNoThread;
    const std::uint32_t latest = ops_.thread[at - 1] != thread ? at - 1 : last_of_other_[at - 1];
    if (latest == kNoThread || !(ops_.ts[latest] > 0)) return kNoThread;
    std::uint32_t chosen = latest;
    for (std::uint32_t j = latest; j != kNoThread && ops_.ts[j] == ops_.ts[latest]; j = j == 0 ? kNoThread : j - 1) {
      if (ops_.thread[j] != thread && first_op_[ops_.thread[j]] <= first_op_[ops_.thread[chosen]]) chosen = j;
    }
    return chosen;
  }

 private:
  const HostOps& ops_;
  Column<std::uint32_t> last_of_other_;  // per operator: the last one before it that is of another thread
  Column<std::uint32_t> first_op_;       // per thread
};

}  // namespace

Column<std::int64_t> inter_thread_dependencies(const HostOps& ops) {
  Column<std::int64_t> dependencies(ops.size(), 0);
  const Lookup lookup(ops);
  struct ThreadState {
    std::uint32_t last = kNoThread;
    std::int64_t dependency = 0;
  };
  Column<ThreadState> threads;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops.thread[i] >= threads.size()) threads.resize(ops.thread[i] + 1);
    ThreadState& thread = threads[ops.thread[i]];
    if (thread.last == kNoThread || ops.ts[i] - ops.ts[thread.last] - ops.dur[thread.last] > kPauseUs) {
      const std::uint32_t other = lookup.before(i);
      const std::int64_t record_function = other == kNoThread ? trace::kNoNumber : ops.record_function[other];
      thread.dependency = record_function == trace::kNoNumber ? 0 : record_function;
    }
    thread.last = i;
    dependencies[i] = thread.dependency;
  }
  return dependencies;
}

}  // namespace orrery::causal::chakra
