// Everything one run writes, as one act: the files appear together when the run has succeeded, or not at all, and none
// of them replaces a file that the run reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/result.h"

namespace orrery {

// Which file a path leads to: two paths may be one file, through links or as hard links.

/// Device and inode.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

/// Of what `path` leads to, links followed; nothing if there is no such file.
std::optional<FileIdentity> identity_of(const std::string& path);

/// While a set lives, every OutputFile of the process that commits is kept aside by it; publish() puts all in their
/// places. Destroyed before that, it removes what was written and the folders made: old files are as they were. Sets
/// nest: an inner set publishes into the outer one, so that a library function which writes several files needs no
/// knowledge of who calls it. Made and destroyed by one thread, in the manner of a stack; files may be written by any.
class OutputSet {
 public:
  enum class Publishing : std::uint8_t {
    with_outer,  ///< what is published appears when the outer set is published
    at_once,     ///< files for a program that is run now; the outer set, if any, does not hear of them
  };
  explicit OutputSet(Publishing publishing = Publishing::with_outer);
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  ~OutputSet();

  /// A file that is read: an output that leads to it, by whatever name or link, is refused (Error::Kind::misuse). A
  /// path to nothing is fine. Returns which file it is.
  std::optional<FileIdentity> protect(const std::string& path);

  /// Renames all into place. If one cannot be, those before it are put back as they were.
  Status publish();

  // For those who write files. Without a set they do what they say at once.

  /// Refuses a file that a set protects.
  static Status check_target(const std::string& path);
  /// Makes the folder and those above it.
  static Status make_folder(const std::string& path);
  /// Where the content of `path` lies now: aside if it was written and not published yet, else at `path`.
  static std::string place_of(const std::string& path);

 private:
  friend class OutputFile;
  struct Pending {
    std::string aside;
    std::string target;
    std::unique_ptr<RemovedWhenInterrupted> guard;
  };
  /// Takes over a file that is complete. False, and nothing taken, if there is no set; an Error if another output has
  /// the same name.
  static Result<bool> take(Pending& file);
  Status rename_all();

  Publishing publishing_;
  OutputSet* outer_;
  std::set<FileIdentity> protected_;
  std::vector<Pending> files_;
  std::set<std::string> targets_;
  std::vector<std::string> folders_;  // made by this run, outermost first
};

}  // namespace orrery
