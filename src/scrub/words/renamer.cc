#include "scrub/words/renamer.h"

#include "base/json/json_unescape.h"
#include "scrub/words/new_name.h"
#include "scrub/words/public_operators.h"

namespace orrery::scrub {
namespace {

// What the new text begins with.
std::string_view prefix_of(Domain domain) {
  switch (domain) {
    case Domain::name: return "name.";
    case Domain::group: return "group.";
    case Domain::description: return "description.";
    case Domain::device: return "device.";
    case Domain::label: return "label.";
    case Domain::lane: return "lane.";
    case Domain::flow: return "flow.";
    case Domain::category: return "category.";
    case Domain::text: return "text.";
  }
  return "text.";
}

}  // namespace

std::string_view to_string(Domain domain) {
  switch (domain) {
    case Domain::name: return "operators, kernels, annotations, functions";
    case Domain::group: return "process groups";
    case Domain::description: return "descriptions of process groups";
    case Domain::device: return "devices";
    case Domain::label: return "labels of processes and threads";
    case Domain::lane: return "processes and threads named by text";
    case Domain::flow: return "flows named by text";
    case Domain::category: return "categories";
    case Domain::text: return "other texts";
  }
  return "other texts";
}

std::string Renamer::make(Domain domain, std::string_view original) const {
  if (domain != Domain::name) return std::string(prefix_of(domain)) + to_hex(keyed_hash(key_, original));
  // What linking calls the rest of an operator after something else came between.
  constexpr std::string_view kContinued = " (continued)";
  const bool is_rest = original.size() > kContinued.size() && original.ends_with(kContinued);
  const std::string_view name = original.substr(0, original.size() - (is_rest ? kContinued.size() : 0));
  std::string made = make_name(name);
  return is_rest ? made.append(kContinued) : made;
}

std::string Renamer::make_name(std::string_view name) const {
  if (is_public_name(name)) return std::string(name);
  if (keep_operators_) {
    if (is_public_operator(name) || is_public_gradient(name)) return std::string(name);
    // That the engine evaluates it stays, what it is does not.
    if (name.starts_with(kEvaluate)) return std::string(kEvaluate) + new_name(name.substr(kEvaluate.size()), keyed_hash(key_, name));
  }
  return new_name(name, keyed_hash(key_, name));
}

std::string_view Renamer::rename(Domain domain, std::string_view raw, bool escaped, Vocabulary vocabulary) {
  // Words are compared as written: one in an unusual spelling is renamed, which is harmless.
  if (raw.empty() || is_public(vocabulary, raw)) return raw;
  Table& table = tables_[static_cast<std::size_t>(domain)];
  const StringId spelling = table.spellings.intern(raw);
  // Two spellings of one text are two entries with the same new text; the ledger makes them one.
  if (spelling > table.renamed.size()) {
    Renamed& added = table.renamed.emplace_back();
    added.original = escaped ? unescape_json(raw) : std::string(raw);
    added.scrubbed = make(domain, added.original);
  }
  Renamed& entry = table.renamed[spelling - 1];
  ++entry.uses;
  return entry.scrubbed;
}

Status RenameLedger::add(const Renamer& file) {
  for (std::size_t d = 0; d < kDomains; ++d) {
    Table& table = tables_[d];
    for (const Renamed& entry : file.renamed(static_cast<Domain>(d))) {
      const auto [at, is_new] = table.by_scrubbed.emplace(entry.scrubbed, table.renamed.size());
      if (is_new) {
        table.renamed.push_back(entry);
        continue;
      }
      Renamed& known = table.renamed[at->second];
      // In 64 bits of hash two of a million names meet once in 37 million jobs; then all is refused, since analyses would add up two
      // things.
      if (known.original != entry.original)
        return Error{"two names came to the same new name", {}, Error::kNoOffset, "run it again, with another key"};
      known.uses += entry.uses;
    }
  }
  return {};
}

}  // namespace orrery::scrub
