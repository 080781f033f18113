#include "scrub/work_class.h"

#include <string>

// Lists of clues in lower case, of which the first that occurs decides, so the order of a list is its meaning:
// particular words before those that occur in many names.

namespace orrery::scrub {
namespace {

struct Clue {
  std::string_view part;  ///< in lower case
  std::string_view name;
};

// The first clue that occurs in the name decides: what is more particular comes first.
constexpr Clue kClasses[] = {
    {"nccl", "communication"},
    {"rccl", "communication"},
    {"gloo", "communication"},
    {"c10d", "communication"},
    {"allreduce", "communication"},
    {"all_reduce", "communication"},
    {"allgather", "communication"},
    {"all_gather", "communication"},
    {"reducescatter", "communication"},
    {"reduce_scatter", "communication"},
    {"alltoall", "communication"},
    {"all_to_all", "communication"},
    {"flash", "attention"},
    {"fmha", "attention"},
    {"attention", "attention"},
    {"sdpa", "attention"},
    {"adam", "optimizer"},
    {"optimizer", "optimizer"},
    {"sgd", "optimizer"},
    {"lamb_", "optimizer"},
    {"multi_tensor_apply", "optimizer"},
    {"_foreach", "optimizer"},
    {"conv", "convolution"},
    {"wgrad", "convolution"},
    {"dgrad", "convolution"},
    {"winograd", "convolution"},
    {"embedding", "embedding"},
    {"indexselect", "embedding"},
    {"index_select", "embedding"},
    {"gemm", "gemm"},
    {"gemv", "gemm"},
    {"matmul", "gemm"},
    {"addmm", "gemm"},
    {"bmm", "gemm"},
    {"::mm", "gemm"},
    {"mmbackward", "gemm"},
    {"linear", "gemm"},
    {"cutlass", "gemm"},
    {"cublas", "gemm"},
    {"nvjet", "gemm"},
    {"xmma", "gemm"},
    {"splitk", "gemm"},
    {"einsum", "gemm"},
    {"cijk_", "gemm"},
    {"normal_", "random"},
    {"norm", "norm"},
    {"gammabeta", "norm"},
    {"softmax", "softmax"},
    {"loss", "loss"},
    {"entropy", "loss"},
    {"dropout", "random"},
    {"distribution", "random"},
    {"philox", "random"},
    {"random", "random"},
    {"uniform_", "random"},
    {"sort", "sort"},
    {"topk", "sort"},
    {"scan", "scan"},
    {"cumsum", "scan"},
    {"pool", "pooling"},
    {"copy", "copy"},
    {"memcpy", "copy"},
    {"catarray", "copy"},
    {"::cat", "copy"},
    {"transpose", "copy"},
    {"contiguous", "copy"},
    {"clone", "copy"},
    {"::to", "copy"},
    {"memset", "fill"},
    {"fill", "fill"},
    {"zero", "fill"},
    {"scatter", "indexing"},
    {"gather", "indexing"},
    {"index", "indexing"},
    {"reduce", "reduction"},
    {"::sum", "reduction"},
    {"::mean", "reduction"},
    {"sumbackward", "reduction"},
    {"meanbackward", "reduction"},
    {"elementwise", "elementwise"},
    {"pointwise", "elementwise"},
    {"triton_poi", "elementwise"},
    {"::add", "elementwise"},
    {"::mul", "elementwise"},
    {"::sub", "elementwise"},
    {"::div", "elementwise"},
    {"::pow", "elementwise"},
    {"::exp", "elementwise"},
    {"gelu", "elementwise"},
    {"relu", "elementwise"},
    {"silu", "elementwise"},
    {"sigmoid", "elementwise"},
    {"tanh", "elementwise"},
    {"view", "view"},
    {"reshape", "view"},
    {"as_strided", "view"},
    {"permute", "view"},
    {"expand", "view"},
    {"slice", "view"},
    {"squeeze", "view"},
    {"::t", "view"},
    {"::empty", "allocation"},
    {"dataloader", "data"},
    {"autograd::engine", "engine"},
    {"accumulategrad", "engine"},
};

// Parts of names that compilers and libraries give to kernels; only whether one occurs is asked.
constexpr Clue kKernelClues[] = {{"void ", ""},   {"_kernel", ""}, {"kernel_", ""}, {"<", ""},     {"triton_", ""},
                                 {"cutlass", ""}, {"nvjet", ""},   {"xmma_", ""},   {"gemm_", ""}, {"cudnn", ""},
                                 {"cublas", ""},  {"cijk_", ""},   {"sm80_", ""},   {"sm90_", ""}, {"kernel", ""},
                                 {"ampere_", ""}, {"volta_", ""},  {"hopper_", ""}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    // By hand: tolower() goes by the locale.
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_name_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// "aten::mm", "torch::autograd::AccumulateGrad", "autograd::engine::evaluate_function: MmBackward0"
bool is_operator(std::string_view name) {
  const std::size_t colons = name.find("::");
  // A namespace in front makes an operator, if nothing of a signature stands behind.
  if (colons != std::string_view::npos && colons > 0) {
    bool plain = true;
    for (const char c : name) plain = plain && (is_name_char(c) || c == ':' || c == ' ' || c == '.');
    return plain;
  }
  const std::size_t backward = name.find("Backward");
  return backward != std::string_view::npos && name.find_first_of(" /.(<") == std::string_view::npos;
}

// "model.py(12): forward", "nn.Module: Linear_3", "<built-in method run>"
bool is_python(std::string_view name) {
  return name.find(".py(") != std::string_view::npos || name.starts_with("nn.Module: ") ||
         name.starts_with("<built-in ") || name.starts_with("<frozen ") || name.starts_with("<string>(");
}

}  // namespace

std::string_view origin_of(std::string_view name) {
  // Python first: "<built-in method" holds the "<" that stands for a template.
  if (is_python(name)) return "python";
  if (is_operator(name)) return "op";
  const std::string lower = lower_case(name);
  for (const Clue& clue : kKernelClues) {
    if (lower.find(clue.part) != std::string::npos) return "kernel";
  }
  return "name";
}

std::string_view class_of(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const Clue& clue : kClasses) {
    if (lower.find(clue.part) != std::string::npos) return clue.name;
  }
  return "other";
}

std::string_view collective_of(std::string_view name) {
  static constexpr Clue kCollectives[] = {{"allreduce", "AllReduce"}, {"alltoall", "AllToAll"},
                                          {"allgather", "AllGather"}, {"reducescatter", "ReduceScatter"},
                                          {"broadcast", "Broadcast"}, {"barrier", "Barrier"},
                                          {"gather", "Gather"},       {"scatter", "Scatter"},
                                          {"reduce", "Reduce"},       {"sendrecv", "SendRecv"},
                                          {"send", "Send"},           {"recv", "Recv"},
                                          {"coalesced", "Coalesced"}, {"generic", "Generic"}};
  // "all_reduce", "AllReduce" and "all-reduce" are one.
  std::string letters;
  for (const char c : lower_case(name)) {
    if (c != '_' && c != '-') letters += c;
  }
  for (const Clue& clue : kCollectives) {
    // "allgather" holds "gather", "reducescatter" holds both of its halves: the longer ones come first.
    if (letters.find(clue.part) != std::string::npos) return clue.name;
  }
  return {};
}

}  // namespace orrery::scrub
