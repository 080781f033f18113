#include "scrub/words/public_operators.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/suggest.h"
#include "formats/pytorch_et/schema.h"
#include "trace/names/operator_list.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kLongestSchema = 4096;  // the longest has 1,500

constexpr std::array<std::string_view, 34> kChoices = {
    "none",     "mean",   "sum",   "prod", "min",   "max",      "amin",     "amax",      "avg",
    "tanh",     "trunc",  "floor", "same", "valid", "constant", "reflect",  "replicate", "circular",
    "zeros",    "border", "ij",    "xy",   "left",  "right",    "fro",      "nuc",       "reduced",
    "complete", "r",      "inf",   "-inf", "nan",   "Infinity", "-Infinity"};

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

/// Every identifier of it is one that schemas of PyTorch have.
bool has_known_words(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    if (end == i) ++end;
    else if (!is_digit(text[i]) && !trace::is_listed("words", text.substr(i, end - i))) return false;
    i = end;
  }
  return true;
}

}  // namespace

bool is_public_operator(std::string_view name) {
  const std::size_t colons = name.find("::");
  return colons != std::string_view::npos && trace::is_listed(name.substr(0, colons + 2), name.substr(colons + 2));
}

bool is_public_gradient(std::string_view name) {
  if (name.starts_with(kEvaluate)) name.remove_prefix(kEvaluate.size());
  if (is_in(kGradients, name)) return true;
  // The number, which tells apart what one operator has several derivatives for, differs between versions; it has one
  // digit, or two.
  const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
  return digits >= 1 && digits <= 2 && trace::is_listed("gradients", name.substr(0, name.size() - digits));
}

bool is_public_schema(std::string_view text) {
  static constexpr std::string_view kPunctuation = " :.,()[]!?*=|<>'\"+-/";
  const auto may_be = [](char c) {
    return is_letter(c) || is_digit(c) || kPunctuation.find(c) != std::string_view::npos;
  };
  if (text.size() > kLongestSchema || !std::all_of(text.begin(), text.end(), may_be)) return false;
  const auto schema = pytorch_et::parse_operator_schema(text);
  if (!schema || !is_public_operator(schema->name)) return false;
  // Behind the name: overload, arguments, types and defaults.
  const std::size_t name = text.find(schema->name);
  return name != std::string_view::npos && has_known_words(text.substr(0, name)) &&
         has_known_words(text.substr(name + schema->name.size()));
}

bool is_public_choice(std::string_view text) { return is_in(kChoices, text); }

}  // namespace orrery::scrub
