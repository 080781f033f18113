#include "llm/closed_forms/pair_step.h"

#include <algorithm>
#include <cmath>

#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
namespace {

/// Which link a group of ranks uses: `stride` ranks lie between two of its `members`.
struct PairLinks {
  const PairConstants& c;

  [[nodiscard]] bool inside(double stride, double members) const { return stride * members <= c.pair_devices; }
  [[nodiscard]] double bytes_per_s(double stride, double members) const {
    return (inside(stride, members) ? c.pair_gb_per_s : c.cross_gb_per_s) * 1e9;
  }
  /// Groups that lie side by side and cross the boundary of the pairs share the one link there.
  [[nodiscard]] double sharers(double stride, double members) const {
    return !inside(stride, members) && members <= c.pair_devices ? stride : 1;
  }
};

}  // namespace

double pair_step_seconds(const machine::Device& device, const FsdpConstants& stack, const PairConstants& c,
                         const FsdpModel& model, const ParallelJob& job) {
  const double tp = job.tensor, pp = job.pipeline, dp = job.data, cp = job.context, h = model.hidden;
  const FsdpCompute one = fsdp_compute(device, stack, model, job);
  // Compute of all micro-batches, shared by ideal devices; the head's part is what it has of the parameters.
  const double share = c.compute_factor * job.global_batch / c.devices;
  const double head = share * model.vocabulary * h / one.parameters * one.other;
  const double blocks = share * one.other - head;
  const double attention = share * one.attention;
  const double parameters = one.parameters + model.vocabulary * h;  // the head is not tied

  const double micro_batches = std::floor(job.global_batch / dp);
  const double tokens = std::floor(job.sequence / cp);
  const PairLinks links{c};
  // The last stage carries the head, and all wait for it.
  double compute =
      pp > 1 ? (blocks + attention + head * pp) * (1 + (pp - 1) / micro_batches) : blocks + attention + head;
  if (cp > 1) compute += attention * (1 - 1 / cp);  // causal blocks are not balanced: the last rank has the most
  double messages = 0;
  if (tp > 1)
    messages += 4 * model.layers / pp * micro_batches * 2 * (tp - 1) / tp * kElementBytes * tokens * h /
                links.bytes_per_s(1, tp);
  // Keys and values go around forward; they and their gradients backward.
  if (cp > 1)
    messages += c.context_byte_factor * 3 * model.layers / pp * micro_batches * (cp - 1) * 2 * kElementBytes * tokens *
                h / tp / links.bytes_per_s(tp, cp);
  if (pp > 1) messages += 2 * micro_batches * kElementBytes * tokens * h / (c.cross_gb_per_s * 1e9);

  const double replicas = dp * cp;
  const double rank_bytes = kElementBytes * parameters / tp / pp;
  const double ring =
      (replicas - 1) / replicas * rank_bytes / links.bytes_per_s(tp, replicas) * links.sharers(tp, replicas);
  if (job.zero_stage == 3) {
    const double traffic = 3 * micro_batches * ring;
    return compute + messages + traffic - std::min(c.hidden_share * compute, traffic);
  }
  return compute + messages + 2 * ring;
}

}  // namespace orrery::llm
