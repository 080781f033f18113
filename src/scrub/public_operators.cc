#include "scrub/public_operators.h"

#include <algorithm>
#include <array>

#include "formats/pytorch_et/schema.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kLongestName = 80;      // the longest operator of PyTorch has 66 letters
constexpr std::size_t kLongestSchema = 4096;  // the longest has 1,500

// PyTorch's, and those of libraries that are published with it.
constexpr std::array<std::string_view, 20> kNamespaces = {"aten",
                                                          "prim",
                                                          "prims",
                                                          "rngprims",
                                                          "inductor",
                                                          "c10d",
                                                          "c10d_functional",
                                                          "_c10d_functional",
                                                          "_c10d_functional_autograd",
                                                          "quantized",
                                                          "_quantized",
                                                          "profiler",
                                                          "quantized_decomposed",
                                                          "symm_mem",
                                                          "mkldnn",
                                                          "onednn",
                                                          "fbgemm",
                                                          "torchvision",
                                                          "torchaudio",
                                                          "torchao"};

constexpr std::array<std::string_view, 34> kChoices = {
    "none", "mean",  "sum",      "prod",     "min",       "max",      "amin",  "amax",   "avg",      "tanh",     "trunc", "floor",
    "same", "valid", "constant", "reflect",  "replicate", "circular", "zeros", "border", "ij",       "xy",       "left",  "right",
    "fro",  "nuc",   "reduced",  "complete", "r",         "inf",      "-inf",  "nan",    "Infinity", "-Infinity"};

constexpr std::array<std::string_view, 6> kGradients = {"torch::autograd::AccumulateGrad",
                                                        "torch::autograd::CopyBackwards",
                                                        "torch::autograd::CopySlices",
                                                        "torch::autograd::GraphRoot",
                                                        "CopyBackwards",
                                                        "CopySlices"};

template <typename List>
bool is_in(const List& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

bool is_public_operator(std::string_view name) {
  const std::size_t colons = name.find("::");
  return colons != std::string_view::npos && is_in(kNamespaces, name.substr(0, colons)) && is_identifier(name.substr(colons + 2));
}

bool is_public_gradient(std::string_view name) {
  if (name.starts_with(kEvaluate)) name.remove_prefix(kEvaluate.size());
  if (is_in(kGradients, name)) return true;
  const std::size_t last = name.find_last_not_of("0123456789");
  return is_identifier(name) && last + 1 < name.size() && name.substr(0, last + 1).ends_with("Backward");
}

bool is_public_schema(std::string_view text) {
  static constexpr std::string_view kPunctuation = " :.,()[]!?*=|<>'\"+-/";
  const auto may_be = [](char c) { return is_letter(c) || is_digit(c) || kPunctuation.find(c) != std::string_view::npos; };
  if (text.size() > kLongestSchema || !std::all_of(text.begin(), text.end(), may_be)) return false;
  const auto schema = pytorch_et::parse_operator_schema(text);
  return schema && is_public_operator(schema->name) && (schema->overload.empty() || is_identifier(schema->overload));
}

bool is_public_choice(std::string_view text) { return is_in(kChoices, text); }

}  // namespace orrery::scrub
