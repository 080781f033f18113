// Element-wise kernels by name: how many bytes each moves. Passes are those of a fused kernel that reads every input
// once and writes every output once; where eager PyTorch is known to do more, the kind says so in its name.
#include "llm/kernels/kernel_kinds.h"

#include <utility>

#include "llm/closed_forms/eager_block.h"

namespace orrery::llm {
namespace {

using S = KernelSizes;
using Shares = machine::ElementwiseShares;
using Needs = std::vector<double S::*>;

/// So many passes over m x n elements, with so many operations for each.
template <int passes, int operations>
Traffic over_matrix(const S& s) {
  return {passes * s.element_bytes() * s.m * s.n, operations * s.m * s.n};
}

template <ElementwiseRate rate>
ElementwiseRate at(const S&) {
  return rate;
}

double key_heads(const S& s) { return s.kv_heads > 0 ? s.kv_heads : s.heads; }
/// Elements of queries and keys.
double rotated(const S& s) { return s.batch * s.seq * s.dim * (s.heads + key_heads(s)); }

constexpr double kMaskBytes = 1;          // of dropout, per element
constexpr double kIndexBytes = 8;         // PyTorch's indices are 64 bits
constexpr double kWeightBytes = 4;        // of a router: fp32
constexpr double kEagerRotaryPasses = 9;  // halves, products, sums, cat (eager_block.cc)
// Of 36 bytes per logit in both directions (eager_block.h): cast 2 + 4, log-softmax 4 + 4; and zeros 4, its gradient 4
// + 4 + 4, cast 4 + 2.
constexpr double kLossForwardBytes = 14;
constexpr double kLossBackwardBytes = kLogitBytes - kLossForwardBytes;
// AdamW reads weight, gradient and two states and writes all but the gradient: seven passes.
constexpr double kOptimizerPasses = 7;
constexpr double kOptimizerOperations = 14;

const Needs kMatrix = {&S::m, &S::n};
const Needs kHeads = {&S::batch, &S::seq, &S::heads, &S::dim};

KernelKind streaming(std::string_view name, Traffic (*traffic)(const S&), ElementwiseRate (*share)(const S&),
                     AloneLike like, Needs needs = kMatrix, Formats formats = Formats::sized) {
  return {
      .name = name, .formats = formats, .needs = std::move(needs), .traffic = traffic, .share = share, .like = like};
}

std::vector<KernelKind> activation_kinds() {
  return {
      streaming("gelu", over_matrix<2, 10>, at<&Shares::activation_forward>, AloneLike::gelu),
      streaming("gelu_bwd", over_matrix<3, 20>, at<&Shares::activation_backward>, AloneLike::gelu),
      streaming("relu2", over_matrix<2, 2>, at<&Shares::activation_forward>, AloneLike::add),
      streaming("relu2_bwd", over_matrix<3, 3>, at<&Shares::activation_backward>, AloneLike::add),
      // Gate and up in, their product out; backward: both and the gradient in, two gradients out.
      streaming("swiglu", over_matrix<3, 12>, at<&Shares::activation_forward>, AloneLike::gelu),
      streaming("swiglu_bwd", over_matrix<5, 24>, at<&Shares::activation_backward>, AloneLike::gelu),
  };
}

std::vector<KernelKind> tensor_kinds() {
  return {
      // The benchmark adds a tensor to itself: one pass in, one out.
      streaming("add", over_matrix<2, 1>, at<&Shares::add>, AloneLike::add),
      streaming("residual_add", over_matrix<3, 1>, at<&Shares::add>, AloneLike::add),
      streaming("accumulate", over_matrix<3, 1>, at<&Shares::accumulate>, AloneLike::add),
      streaming(
          "cast",
          [](const S& s) {
            return Traffic{(s.element_bytes() + 4) * s.m * s.n, s.m * s.n};
          },
          at<&Shares::cast>, AloneLike::add),
      streaming("copy", over_matrix<2, 0>, at<&Shares::add>, AloneLike::copy),
      streaming("transpose", over_matrix<2, 0>, at<&Shares::add>, AloneLike::add),
      streaming(
          "dropout",
          [](const S& s) {
            return Traffic{(2 * s.element_bytes() + kMaskBytes) * s.m * s.n, 10 * s.m * s.n};
          },
          at<&Shares::add>, AloneLike::gelu),
      streaming(
          "dropout_bwd",
          [](const S& s) {
            return Traffic{(2 * s.element_bytes() + kMaskBytes) * s.m * s.n, 2 * s.m * s.n};
          },
          at<&Shares::add>, AloneLike::add),
      streaming(
          "bias_grad",
          [](const S& s) {
            return Traffic{s.element_bytes() * (s.m + 1) * s.n, s.m * s.n};
          },
          at<&Shares::bias_gradient>, AloneLike::step),
      streaming("softmax_bwd", over_matrix<3, 4>, at<&Shares::norm_forward>, AloneLike::step),
      // Input and gradient are read twice, as eager PyTorch does: for the sums of a row and for the gradient; one pass
      // out.
      streaming("layernorm_bwd", over_matrix<5, 14>, at<&Shares::norm_backward>, AloneLike::step),
      streaming("rmsnorm_bwd", over_matrix<5, 14>, at<&Shares::norm_backward>, AloneLike::step),
  };
}

std::vector<KernelKind> model_kinds() {
  return {
      streaming(
          "embedding",
          [](const S& s) {
            return Traffic{s.m * (2 * s.element_bytes() * s.n + kIndexBytes), 0};
          },
          at<&Shares::add>, AloneLike::add),
      // The whole gradient is cleared, and the rows of the tokens are added to.
      streaming("embedding_bwd",
                [](const S& s) {
                  return Traffic{s.element_bytes() * s.n * (s.vocab + 3 * s.m) + kIndexBytes * s.m, s.m * s.n};
                },
                at<&Shares::add>, AloneLike::add, {&S::m, &S::n, &S::vocab}),
      streaming(
          "cross_entropy",
          [](const S& s) {
            return Traffic{kLossForwardBytes * s.m * s.n, 7 * s.m * s.n};
          },
          at<&Shares::cross_entropy>, AloneLike::step, kMatrix, Formats::two_byte),
      streaming(
          "cross_entropy_bwd",
          [](const S& s) {
            return Traffic{kLossBackwardBytes * s.m * s.n, 4 * s.m * s.n};
          },
          at<&Shares::cross_entropy>, AloneLike::step, kMatrix, Formats::two_byte),
      streaming(
          "rotary",
          [](const S& s) {
            return Traffic{2 * s.element_bytes() * rotated(s), 3 * rotated(s)};
          },
          at<&Shares::add>, AloneLike::gelu, kHeads),
      streaming(
          "rotary_bwd",
          [](const S& s) {
            return Traffic{2 * s.element_bytes() * rotated(s), 3 * rotated(s)};
          },
          at<&Shares::add>, AloneLike::gelu, kHeads),
      streaming(
          "rotary_eager",
          [](const S& s) {
            return Traffic{kEagerRotaryPasses * s.element_bytes() * rotated(s), 3 * rotated(s)};
          },
          at<&Shares::rotary_forward>, AloneLike::step, kHeads),
      streaming(
          "rotary_eager_bwd",
          [](const S& s) {
            return Traffic{kEagerRotaryPasses * s.element_bytes() * rotated(s), 3 * rotated(s)};
          },
          at<&Shares::rotary_backward>, AloneLike::step, kHeads),
      streaming(
          "adamw",
          [](const S& s) {
            return Traffic{kOptimizerPasses * s.element_bytes() * s.m, kOptimizerOperations * s.m};
          },
          [](const S& s) { return s.element_bytes() > 2 ? &Shares::optimizer_32bit : &Shares::optimizer_16bit; },
          AloneLike::step, {&S::m}, Formats::optimizer),
      // Logits in, probabilities out and in again for the top k, of which weight and index go out.
      streaming("moe_route",
                [](const S& s) {
                  const double row =
                      s.experts * (s.element_bytes() + 2 * kWeightBytes) + s.top_k * (kWeightBytes + kIndexBytes);
                  return Traffic{s.m * row, s.m * s.experts * (7 + s.top_k)};
                },
                at<&Shares::add>, AloneLike::gelu, {&S::m, &S::experts, &S::top_k}),
      streaming("moe_permute",
                [](const S& s) {
                  return Traffic{s.m * (s.element_bytes() * s.n * (1 + s.top_k) + kIndexBytes * s.top_k), 0};
                },
                at<&Shares::add>, AloneLike::add, {&S::m, &S::n, &S::top_k}),
      streaming("moe_unpermute",
                [](const S& s) {
                  const double row = s.element_bytes() * s.n * (1 + s.top_k) + (kIndexBytes + kWeightBytes) * s.top_k;
                  return Traffic{s.m * row, 2 * s.m * s.n * s.top_k};
                },
                at<&Shares::add>, AloneLike::add, {&S::m, &S::n, &S::top_k}),
  };
}

}  // namespace

std::vector<KernelKind> elementwise_kinds() {
  std::vector<KernelKind> kinds = tensor_kinds();
  for (const auto& list : {activation_kinds(), model_kinds()}) kinds.insert(kinds.end(), list.begin(), list.end());
  for (KernelKind& kind : kinds) kind.timed = kind.name == "add" || kind.name == "gelu";
  return kinds;
}

}  // namespace orrery::llm
