#include "replay/torch/build/lifetimes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "causal/host/coverage.h"
#include "replay/torch/write/tensor_text.h"

// Rows are walked in the order in which they began and ended. A storage's number stands for whatever was last made at
// that address: outputs that were not given begin a new lifetime, inputs that cannot lie on the last one do, too.

namespace orrery::replay::torch {
namespace {

// The rows of ranges that PyTorch names "Optimizer.step#class.function" and so on, in the order of their begins.
// Scrubbing keeps the part before "#", somewhere in the name.
std::vector<std::uint32_t> ranges_named(const RankSource& source, std::string_view part) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < source.host->name.size(); ++row) {
    if (source.strings->text(source.host->name[row]).find(part) != std::string_view::npos) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](std::uint32_t a, std::uint32_t b) { return source.order.begin[a] < source.order.begin[b]; });
  return rows;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> held_gradients(const RankSource& source,
                                                                    const trace::HostArguments& arguments,
                                                                    const Lifetimes& lifetimes) {
  const RowOrder& order = source.order;
  const std::vector<std::uint32_t> steps = ranges_named(source, "Optimizer.step"),
                                   clears = ranges_named(source, "Optimizer.zero_grad");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held;
  for (const std::uint32_t step : steps) {
    const auto clear = std::find_if(clears.begin(), clears.end(),
                                    [&](std::uint32_t row) { return order.begin[row] > order.begin[step]; });
    const std::uint32_t until =
        clear == clears.end() ? static_cast<std::uint32_t>(order.visits.size()) - 1 : order.end[*clear];
    for (std::uint32_t position = order.begin[step]; position < order.end[step]; ++position) {
      const Visit visit = order.visits[position];
      if (visit.is_end || source.host->thread[visit.row] != source.host->thread[step]) continue;
      for (std::uint32_t use = arguments.first[visit.row]; use < arguments.first[visit.row + 1]; ++use) {
        const std::uint32_t lifetime = lifetimes.of_use[use];
        if (lifetime == kNoLifetime || !arguments.tensors[use].is_input) continue;
        const std::uint32_t maker = lifetimes.all[lifetime].maker;
        if (maker != causal::kNoRow && order.begin[maker] < order.begin[step]) held.emplace_back(lifetime, until);
      }
    }
  }
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

namespace {

using causal::kNoRow;
using trace::TensorUse;

class LifetimeSearch {
 public:
  LifetimeSearch(const trace::HostTrace& host, const RowOrder& order, const trace::HostArguments& arguments,
                 const std::vector<const pytorch_et::OperatorSchema*>& schemas)
      : host_(host), order_(order), arguments_(arguments), schemas_(schemas) {
    found_.of_use.assign(arguments.tensors.size(), kNoLifetime);
  }

  Lifetimes run() {
    for (std::uint32_t v = 0; v < order_.visits.size(); ++v) {
      const Visit visit = order_.visits[v];
      if (visit.is_end) take_outputs(visit.row);
      else take_inputs(visit.row);
    }
    return std::move(found_);
  }

 private:
  void take_inputs(std::uint32_t row) {
    for (std::uint32_t use = arguments_.first[row]; use < arguments_.first[row + 1]; ++use) {
      const TensorUse& tensor = arguments_.tensors[use];
      if (!tensor.is_input) break;  // outputs come after all inputs
      if (tensor.bytes > 0) found_.of_use[use] = fits(row, use) ? current(tensor) : make(tensor, kNoRow);
    }
  }

  // Whether a tensor can lie on the storage that was last seen at its address. Memory that was made where nobody
  // recorded it (a compiled graph's) shows by not fitting. Its elements may be more than there is memory: a row
  // expanded to many.
  [[nodiscard]] bool fits(std::uint32_t row, std::uint32_t use) const {
    const TensorUse& tensor = arguments_.tensors[use];
    const auto at = current_.find(tensor.storage);
    if (at == current_.end() || found_.all[at->second].maker == kNoRow || tensor.bytes <= found_.all[at->second].bytes)
      return true;
    const auto extent = input_extent(host_, row, use - arguments_.first[row]);
    return !extent || *extent <= found_.all[at->second].bytes;
  }

  void take_outputs(std::uint32_t row) {
    const pytorch_et::OperatorSchema* const schema = schemas_[host_.op_schema[row]];
    const std::uint32_t first = arguments_.first[row];
    for (std::uint32_t use = first; use < arguments_.first[row + 1]; ++use) {
      const TensorUse& tensor = arguments_.tensors[use];
      if (tensor.is_input || tensor.bytes == 0) continue;
      const std::uint32_t given = given_to(row, tensor.storage);
      if (given != kNoLifetime) found_.of_use[use] = given;
      else if (is_made_by(row, tensor, schema)) found_.of_use[use] = make(tensor, row);
      else found_.of_use[use] = current(tensor);
    }
  }

  // An input on the same address; the lists of fused optimizers are long, and they return nothing.
  [[nodiscard]] std::uint32_t given_to(std::uint32_t row, std::uint64_t storage) const {
    for (std::uint32_t use = arguments_.first[row]; use < arguments_.first[row + 1] && arguments_.tensors[use].is_input;
         ++use) {
      if (arguments_.tensors[use].storage == storage && found_.of_use[use] != kNoLifetime) return found_.of_use[use];
    }
    return kNoLifetime;
  }

  [[nodiscard]] bool is_made_by(std::uint32_t row, const TensorUse& tensor,
                                const pytorch_et::OperatorSchema* schema) const {
    // It puts a tensor onto memory that is there, and its Storage is no argument that is recorded: cuDNN's weights, all
    // in one buffer, come this way.
    if (schema != nullptr && schema->name == "aten::set_") return false;
    const auto at = current_.find(tensor.storage);
    if (at == current_.end()) return schema != nullptr;
    const Lifetime& known = found_.all[at->second];
    if (known.is_on_host != tensor.is_on_host) return schema != nullptr;
    if (known.maker != kNoRow && order_.begin[known.maker] > order_.begin[row]) return false;  // inside of this row
    // The schema's word does not count: reshape, contiguous and to return views or copies as they like.
    return schema != nullptr;
  }

  std::uint32_t current(const TensorUse& tensor) {
    const auto at = current_.find(tensor.storage);
    return at == current_.end() || found_.all[at->second].is_on_host != tensor.is_on_host ? make(tensor, kNoRow)
                                                                                          : at->second;
  }

  std::uint32_t make(const TensorUse& tensor, std::uint32_t maker) {
    const auto number = static_cast<std::uint32_t>(found_.all.size());
    found_.all.push_back({maker, tensor.is_on_host, maker == kNoRow ? 0 : tensor.bytes});
    current_[tensor.storage] = number;
    return number;
  }

  const trace::HostTrace& host_;
  const RowOrder& order_;
  const trace::HostArguments& arguments_;
  const std::vector<const pytorch_et::OperatorSchema*>& schemas_;
  std::unordered_map<std::uint64_t, std::uint32_t> current_;  // by recorded number; only looked up, never walked
  Lifetimes found_;
};

}  // namespace

Lifetimes find_lifetimes(const trace::HostTrace& host, const RowOrder& order, const trace::HostArguments& arguments,
                         const std::vector<const pytorch_et::OperatorSchema*>& schemas) {
  return LifetimeSearch(host, order, arguments, schemas).run();
}

}  // namespace orrery::replay::torch
