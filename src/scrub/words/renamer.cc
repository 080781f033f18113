#include "scrub/words/renamer.h"

#include "base/json/json_unescape.h"
#include "causal/host/silent_waits.h"
#include "scrub/key.h"
#include "scrub/words/public_operators.h"
#include "scrub/work_class.h"

// A new name is what analyses ask of the old one (a step, a lead, origin and class, parts that they look for), followed
// by a keyed hash of it. So equal names stay equal in all files of a job, and nothing else of them is left. The ledger
// puts the tables of all files together and refuses two names that came to one.

namespace orrery::scrub {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Beginnings that analyses ask for, the longer first. Communication goes on with the collective.
constexpr std::string_view kCommunicationLeads[] = {
    "ncclDevKernel", "ncclKernel", "nccl:", "nccl", "hccl:",       "hccl",   "rccl:",
    "xccl:",         "gloo:",      "mpi:",  "ucc:", "mscclKernel", "c10d::", "c10d"};
constexpr std::string_view kRuntimeLeads[] = {"cuda", "cu", "hip", "mtia"};

// Parts that analyses ask for anywhere in a name. What is part of another comes after it.
constexpr std::string_view kParts[] = {"ncclDevKernel",
                                       "ncclKernel",
                                       "nccl",
                                       "rccl",
                                       "Nccl",
                                       "NCCL",
                                       "DataLoader",
                                       "ProfilerStep#",
                                       "ProfilerStep",
                                       "Optimizer.step",
                                       "Optimizer.zero_grad",
                                       "forward",
                                       "autograd",
                                       "Memcpy",
                                       "HtoD",
                                       "HostToDevice",
                                       "Synchronize",
                                       "Event",
                                       "process_group:init",
                                       "LaunchKernel",
                                       "GraphLaunch",
                                       "record_param_comms",
                                       "PjRt",
                                       "PJRT",
                                       "TfrtTpu",
                                       "tf32",
                                       "s1688gemm"};

// "AllReduce" -> "all_reduce"
std::string snake_case(std::string_view words) {
  std::string snake;
  for (const char c : words) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !snake.empty()) snake += '_';
    snake += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return snake;
}

std::string_view lead_of(std::string_view name) {
  for (const std::string_view lead : kCommunicationLeads) {
    if (name.starts_with(lead)) return lead;
  }
  // A blocking call is told by its beginning and "Synchronize"; HTA takes kernels whose name begins with "hip" for
  // communication.
  for (const std::string_view lead : kRuntimeLeads) {
    if (name.starts_with(lead) && (lead == "hip" || contains(name, "Synchronize"))) return lead;
  }
  return {};
}

// "ProfilerStep#12" or "ProfilerStep": the beginning of a name that goes on otherwise.
std::string_view step_of(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep";
  if (!name.starts_with(kStep)) return {};
  std::size_t end = kStep.size();
  if (end < name.size() && name[end] == '#') ++end;
  // The number of the step says nothing; more than nine digits are not one.
  while (end > kStep.size() && end < name.size() && end < kStep.size() + 10 && name[end] >= '0' && name[end] <= '9')
    ++end;
  return name.substr(0, end);
}

std::string communication_name(std::string_view lead, std::string_view name) {
  const bool is_kernel = lead.ends_with("Kernel");
  const std::string_view collective = collective_of(name);
  std::string made(lead);
  if (is_kernel) made += '_';
  else if (!lead.ends_with(':')) made += '.';
  made += is_kernel ? std::string(collective) : snake_case(collective);
  return made;
}

}  // namespace

std::string new_name(std::string_view name, std::uint64_t hash) {
  const std::string_view step = step_of(name);
  const std::string_view lead = lead_of(name);
  const bool is_communication = !lead.empty() && lead != "cuda" && lead != "cu" && lead != "hip" && lead != "mtia";
  std::string made;
  if (is_communication) {
    made = communication_name(lead, name);
  } else {
    if (!step.empty()) (made += step) += '.';
    if (!lead.empty()) (made += lead) += '.';
    made += origin_of(name);
    made += '.';
    made += class_of(name);
    // Otherwise "aten::scatter" would become a collective.
    const bool collective = class_of(name) == "communication" && !collective_of(name).empty();
    if (collective) (made += '.') += snake_case(collective_of(name));
  }
  for (const std::string_view part : kParts) {
    // Only if it is not there already: else "ncclDevKernel" would be followed by "nccl".
    if (contains(name, part) && !contains(made, part)) (made += '.') += part;
  }
  if (causal::is_waiting_call(name)) made += ".block_until_ready";
  if (!made.ends_with('_')) made += lead.ends_with("Kernel") ? '_' : '.';
  return made + to_hex(hash);
}

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
    if (name.starts_with(kEvaluate))
      return std::string(kEvaluate) + new_name(name.substr(kEvaluate.size()), keyed_hash(key_, name));
  }
  return new_name(name, keyed_hash(key_, name));
}

std::string_view Renamer::rename(Domain domain, std::string_view raw, bool escaped, Vocabulary vocabulary) {
  // Words are compared as written: one in an unusual spelling is renamed, which is harmless.
  if (raw.empty() || is_public(vocabulary, raw)) return raw;
  // Without its version nobody would read the file again.
  if (vocabulary == Vocabulary::schema && !leading_version(raw).empty()) return leading_version(raw);
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
      // In 64 bits of hash two of a million names meet once in 37 million jobs; then all is refused, since analyses
      // would add up two things.
      if (known.original != entry.original)
        return Error{"two names came to the same new name", {}, Error::kNoOffset, "run it again, with another key"};
      known.uses += entry.uses;
    }
  }
  return {};
}

}  // namespace orrery::scrub
