#include "formats/liballprof/call_line.h"

#include <algorithm>
#include <string>

#include "base/numbers.h"

// A table gives every function a string of letters, one per parameter, which says how a field is read and where it
// goes. Lists of counts may be there or not, depending on the tracer's version, so both are tried.

namespace orrery::liballprof {
namespace {

using Fields = std::vector<std::string_view>;

struct Prototype {
  std::string_view functions;  ///< separated by blanks
  /// A letter per parameter: b buffer, status, displacements or anything else; n count; t type; d destination; s
  /// source; g tag; c communicator; q request; w number of requests; r root; N, T, G: count, type and tag of the
  /// receive side; S, R: counts of the send and receive side.
  std::string_view parameters;
};

constexpr Prototype kPrototypes[] = {
    {"MPI_Send MPI_Bsend MPI_Ssend MPI_Rsend", "bntdgc"},
    {"MPI_Isend MPI_Ibsend MPI_Issend MPI_Irsend", "bntdgcq"},
    {"MPI_Recv", "bntsgcb"},
    {"MPI_Irecv", "bntsgcq"},
    {"MPI_Sendrecv", "bntdgbNTsGcb"},
    {"MPI_Sendrecv_replace", "bntdgsGcb"},
    {"MPI_Wait", "qb"},
    {"MPI_Waitall", "wqb"},
    {"MPI_Waitany", "wbbb"},
    {"MPI_Waitsome", "wbbbb"},
    {"MPI_Barrier", "c"},
    {"MPI_Ibarrier", "cq"},
    {"MPI_Bcast", "bntrc"},
    {"MPI_Ibcast", "bntrcq"},
    {"MPI_Reduce", "bbntbrc"},
    {"MPI_Ireduce", "bbntbrcq"},
    {"MPI_Allreduce MPI_Scan MPI_Exscan", "bbntbc"},
    {"MPI_Iallreduce MPI_Iscan MPI_Iexscan", "bbntbcq"},
    {"MPI_Gather MPI_Scatter", "bntbNTrc"},
    {"MPI_Igather MPI_Iscatter", "bntbNTrcq"},
    {"MPI_Allgather MPI_Alltoall", "bntbNTc"},
    {"MPI_Iallgather MPI_Ialltoall", "bntbNTcq"},
    {"MPI_Gatherv", "bntbRDTrc"},
    {"MPI_Scatterv", "bSDtbNTrc"},
    {"MPI_Allgatherv", "bntbRDTc"},
    {"MPI_Alltoallv", "bSDtbRDTc"},
    {"MPI_Reduce_scatter", "bbRtbc"},
};

const Prototype* find_prototype(std::string_view function) {
  for (const Prototype& prototype : kPrototypes) {
    for (std::size_t at = prototype.functions.find(function); at != std::string_view::npos;
         at = prototype.functions.find(function, at + 1)) {
      const std::size_t end = at + function.size();
      const bool is_whole = (at == 0 || prototype.functions[at - 1] == ' ') &&
                            (end == prototype.functions.size() || prototype.functions[end] == ' ');
      if (is_whole) return &prototype;
    }
  }
  return nullptr;
}

/// 1237666053021692 or 1237666053021692.000000
bool parse_time(std::string_view text, std::int64_t& out) {
  const std::size_t point = text.find('.');
  const std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  return fraction.find_first_not_of("0123456789") == std::string_view::npos && parse_number(text.substr(0, point), out);
}

/// "-", and the 0.00 of calls that can come before MPI_Init has returned or after MPI_Finalize.
bool is_without_clock(std::string_view function, std::int64_t time) {
  return time == 0 && (function.starts_with("MPI_Init") || function.starts_with("MPI_Finalize"));
}

bool parse_moment(std::string_view function, std::string_view text, std::optional<std::int64_t>& out) {
  if (text == "-") return true;
  std::int64_t time = 0;
  if (!parse_time(text, time)) return false;
  if (!is_without_clock(function, time)) out = time;
  return true;
}

bool parse_numbers(std::string_view text, std::vector<std::int64_t>& out) {
  out.clear();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t number = 0;
    if (!parse_number(text.substr(at, end - at), number)) return false;
    out.push_back(number);
    at = end + 1;
  }
  return true;
}

/// "13,1,1": id, size, extent.
bool parse_type(std::string_view text, std::optional<std::int64_t>& bytes) {
  std::vector<std::int64_t> parts;
  const std::size_t comma = text.find(',');  // ids may be larger than a signed number
  if (comma == std::string_view::npos || !parse_numbers(text.substr(comma + 1), parts) || parts.size() != 2 ||
      parts[0] < 0)
    return false;
  bytes = parts[0];
  return true;
}

bool parse_communicator(std::string_view text, std::optional<Communicator>& out) {
  Communicator found;
  std::vector<std::int64_t> parts;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !parse_number(text.substr(0, comma), found.handle)) return false;
  if (!parse_numbers(text.substr(comma + 1), parts) || parts.size() != 2) return false;
  found.rank = parts[0], found.size = parts[1];
  if (found.rank < 0 || found.rank >= found.size) return false;
  out = found;
  return true;
}

class Arguments {
 public:
  Arguments(std::string_view parameters, const Fields& fields, bool with_lists, CallLine& out)
      : parameters_(parameters), fields_(fields), with_lists_(with_lists), out_(out) {}

  bool take() {
    for (const char parameter : parameters_) {
      if (at_ >= fields_.size() || !take_one(parameter)) return false;
    }
    return at_ == fields_.size();
  }

 private:
  bool take_one(char parameter) {
    const std::string_view field = fields_[at_++];
    switch (parameter) {
      case 'n': return parse_number(field, out_.count.emplace());
      case 'N': return parse_number(field, out_.receive_count.emplace());
      case 't': return parse_type(field, out_.type_bytes);
      case 'T': return parse_type(field, out_.receive_type_bytes);
      case 'd': return parse_number(field, out_.destination.emplace());
      case 's': return parse_number(field, out_.source.emplace());
      case 'g': return parse_number(field, out_.tag.emplace());
      case 'G': return parse_number(field, out_.receive_tag.emplace());
      case 'r': return parse_number(field, out_.root.emplace());
      case 'q': return parse_number(field, out_.request.emplace());
      case 'w': return parse_number(field, out_.requests.emplace());
      case 'c': return parse_communicator(field, out_.communicator);
      case 'S': return take_list(out_.send_counts);
      case 'R': return take_list(out_.receive_counts);
      case 'D': return take_list(unused_);
      default: return true;
    }
  }

  bool take_list(std::vector<std::int64_t>& out) {
    if (!with_lists_) return true;
    return at_ < fields_.size() && parse_numbers(fields_[at_++], out);
  }

  std::string_view parameters_;
  const Fields& fields_;
  bool with_lists_;  // wrappers of a later mpi.h write the addresses of arrays only
  CallLine& out_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> unused_;
};

}  // namespace

const char* parse_call_line(std::string_view line, CallLine& out) {
  out = {};
  if (const std::size_t backtrace = line.find("  # backtrace"); backtrace != std::string_view::npos)
    line = line.substr(0, backtrace);
  Fields fields;
  // Fields are between colons; blanks around them mean nothing.
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(':', at), line.size());
    std::string_view field = line.substr(at, end - at);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    fields.push_back(field);
    at = end + 1;
  }
  if (fields.size() < 3 || !fields[0].starts_with("MPI_")) return line.data();
  out.function = fields[0];
  if (!parse_moment(out.function, fields[1], out.start_us)) return fields[1].data();
  if (!parse_moment(out.function, fields.back(), out.end_us)) return fields.back().data();
  const Prototype* const prototype = find_prototype(out.function);
  if (prototype == nullptr) return nullptr;
  const Fields arguments(fields.begin() + 2, fields.end() - 1);
  for (const bool with_lists : {true, false}) {
    CallLine attempt;
    attempt.function = out.function, attempt.start_us = out.start_us, attempt.end_us = out.end_us;
    if (!Arguments(prototype->parameters, arguments, with_lists, attempt).take()) continue;
    attempt.arguments_fit = true;
    out = std::move(attempt);
    break;
  }
  return nullptr;
}

}  // namespace orrery::liballprof
