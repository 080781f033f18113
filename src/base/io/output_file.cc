#include "base/io/output_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/io/inflate.h"
#include "base/io/output_set.h"

// Bytes go through a buffer, and a compressor where the name asks for one, into a file beside the target. Failures are
// kept until commit(), which closes, checks, and renames; without it the file aside is removed.

namespace orrery {

struct OutputFile::State {
  std::string path;
  std::string aside;  // empty: written in place
  std::unique_ptr<RemovedWhenInterrupted> aside_guard;
  int fd = -1;
  Compression compression = Compression::none;
  z_stream deflater{};
  ZSTD_CCtx* zstd = nullptr;
  std::vector<char> buffer = std::vector<char>(256 * 1024);
  std::size_t used = 0;
  int failure = 0;  // errno of the first failed write

  Status open(const std::string& name);

  ~State() {
    if (compression == Compression::gzip) ::deflateEnd(&deflater);
    ::ZSTD_freeCCtx(zstd);
    if (fd >= 0) {
      ::close(fd);
      // Not committed: what is aside was not finished, and what stood under the name before has not been touched.
      if (!aside.empty()) ::unlink(aside.c_str());
    }
  }

  void flush() {
    for (std::size_t done = 0; done < used && failure == 0;) {
      const ssize_t n = ::write(fd, buffer.data() + done, used - done);
      if (n >= 0) done += static_cast<std::size_t>(n);
      // Kept until commit(): writers need not look after every piece, and the first reason is the true one.
      else if (errno != EINTR) failure = errno;
    }
    used = 0;
  }

  void put(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t n = std::min(bytes.size(), buffer.size() - used);
      std::memcpy(buffer.data() + used, bytes.data(), n);
      used += n;
      bytes.remove_prefix(n);
      if (used == buffer.size()) flush();
    }
  }

  void deflate_some(std::string_view bytes, int mode) {
    do {
      // avail_in has 32 bits.
      const std::size_t slice = std::min<std::size_t>(bytes.size(), 1u << 30);
      deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      deflater.avail_in = static_cast<uInt>(slice);
      int outcome = Z_OK;
      do {
        deflater.next_out = reinterpret_cast<Bytef*>(buffer.data() + used);
        deflater.avail_out = static_cast<uInt>(buffer.size() - used);
        outcome = ::deflate(&deflater, mode);
        used = buffer.size() - deflater.avail_out;
        if (deflater.avail_out == 0) flush();
        // zlib may hold back output after it took all input: at the end it must be asked until it says so.
      } while (deflater.avail_in > 0 || (mode == Z_FINISH && outcome != Z_STREAM_END));
      bytes.remove_prefix(slice);
    } while (!bytes.empty());
  }

  void zstd_some(std::string_view bytes, ZSTD_EndDirective mode) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done && failure == 0;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), used};
      const std::size_t left = ::ZSTD_compressStream2(zstd, &out, &in, mode);
      used = out.pos;
      if (::ZSTD_isError(left) != 0) failure = EIO;
      if (used == buffer.size()) flush();
      done = mode == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  // At the end: with `is_last` and nothing more.
  void take(std::string_view bytes, bool is_last) {
    switch (compression) {
      case Compression::none: return put(bytes);
      case Compression::gzip: return deflate_some(bytes, is_last ? Z_FINISH : Z_NO_FLUSH);
      case Compression::zstd: return zstd_some(bytes, is_last ? ZSTD_e_end : ZSTD_e_continue);
    }
  }
};

Status OutputFile::State::open(const std::string& name) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(name, none);
  path = name;
  if (is_standard_output(name)) {
    fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);  // a file that the shell opened stays open where it is
  } else if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    // A device or a pipe (/dev/null) is written to, never replaced.
    if (std::filesystem::is_directory(status)) return Error{"cannot write: it is a directory", name};
    fd = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const std::filesystem::path target =
        std::filesystem::weakly_canonical(name, none);  // a link stays a link: what it points to is written
    if (!none && !target.empty()) path = target.string();
    if (Status allowed = OutputSet::check_target(path); !allowed) return allowed;
    static std::atomic<unsigned> count{
        0};  // two outputs of one name must not share what is aside, or the one would spoil the other
    aside = path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    aside_guard = std::make_unique<RemovedWhenInterrupted>(aside);
    fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (fd < 0) return Error{std::string("cannot write: ") + std::strerror(errno), name};
  return {};
}

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(const std::string& path) {
  auto state = std::make_unique<State>();
  if (const Status opened = state->open(path); !opened) return opened.error();
  if (path.ends_with(".gz")) {
    // windowBits 15 + 16: a gzip header, without a time stamp, so that the same content gives the same bytes.
    if (::deflateInit2(&state->deflater, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      return Error{"cannot start the compressor", path};
    state->compression = Compression::gzip;
  } else if (path.ends_with(".zst")) {
    state->zstd = ::ZSTD_createCCtx();
    if (state->zstd == nullptr) return Error{"cannot start the compressor", path};
    state->compression = Compression::zstd;
  }
  return OutputFile(std::move(state));
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.empty()) return;
  state_->take(bytes, false);
}

Status OutputFile::commit() {
  State& state = *state_;
  state.take({}, true);
  state.flush();
  if (state.failure != 0) return Error{std::string("cannot write: ") + std::strerror(state.failure), state.path};
  // On network file systems a full disk may show only here.
  const bool closed = ::close(std::exchange(state.fd, -1)) == 0;
  const Error error{std::string("cannot write: ") + std::strerror(errno), state.path};
  if (state.aside.empty()) return closed ? Status() : Status(error);
  if (!closed) return ::unlink(state.aside.c_str()), error;
  // Within a set it stays aside until all of the set are written.
  OutputSet::Pending pending{state.aside, state.path, std::move(state.aside_guard)};
  const Result<bool> taken = OutputSet::take(pending);
  if (!taken) return ::unlink(state.aside.c_str()), taken.error();
  if (*taken || ::rename(state.aside.c_str(), state.path.c_str()) == 0) return {};
  const Error not_renamed{std::string("cannot write: ") + std::strerror(errno), state.path};
  ::unlink(state.aside.c_str());
  return not_renamed;
}

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1"; }

Status write_whole_file(const std::string& path, std::string_view content) {
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  file->write(content);
  return file->commit();
}

}  // namespace orrery
