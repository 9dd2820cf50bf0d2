// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "ingest/reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/input_ends.h"
#include "ingest/log_format.h"
#include "ingest/reconcile/log_and_trace.h"
#include "ingest/sniffing_sink.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/Path.h"
#include "model/append_session.h"
#include "redact/redact.h"
#include "support/in_parallel.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// The maximum number of threads.
size_t MaxThreads(const ReadOptions& options) {
  return options.jobs > 0 ? options.jobs : NumProcessors();
}

/// Reads the input `name` into `session` with this many threads. Returns why it could not be read;
/// empty: it was.
std::string ReadOne(const std::string& name, FileSource& files, Session& session,
                    const ReadOptions& options, size_t num_threads) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options, num_threads);
  Stats on_the_way;  // the session's own may be in use by another thread until Finish()
  TextTotals totals;
  EndKeeper keeper(sink);
  LineSink& first = options.ends == nullptr ? static_cast<LineSink&>(sink) : keeper;
  Error error = files.Read(name, first, on_the_way, index, totals);
  sink.Finish(totals);
  if (options.ends != nullptr) options.ends->Set(name, keeper.TakeEnd());
  session.stats().Add(on_the_way);
  std::string failure = sink.failure();
  if (!failure.empty()) failure = "cannot read " + MakePrintable(name) + ": " + failure;
  if (error) {
    failure = llvm::toString(std::move(error));
  } else if (totals.bytes == 0 && on_the_way.count(Stat::archive_damaged).times > 0) {
    failure = "cannot read " + MakePrintable(name) + ": a damaged archive, from its start on";
  }
  if (!failure.empty()) session.stats().Bump(Stat::input_unreadable, index, 0);
  return failure;
}

/// Reads inputs in parallel, each into a session of its own, and appends these to `session` in the
/// order of the inputs, so the result does not depend on the number of threads. Returns the result
/// of ReadOne for each input.
std::vector<std::string> ReadSideBySide(llvm::ArrayRef<std::string> names, FileSource& files,
                                        const ReadOptions& options, size_t num_threads,
                                        Session& session) {
  // Number of inputs that may wait for an earlier one: many small ones after a large one would
  // otherwise all be in memory.
  constexpr size_t kMaxWaiting = 256;
  const size_t threads_per_input = MaxThreads(options) / std::max<size_t>(num_threads, 1);
  std::vector<std::string> failures(names.size());
  std::vector<std::unique_ptr<Session>> read(names.size());
  std::mutex mutex;  // of `read`, `num_appended` and `session`
  std::condition_variable appended;
  size_t num_appended = 0;
  InParallel(names.size(), num_threads, [&](size_t index) {
    {
      std::unique_lock lock(mutex);
      appended.wait(lock, [&] { return index < num_appended + kMaxWaiting; });
    }
    auto own = std::make_unique<Session>();
    failures[index] = ReadOne(names[index], files, *own, options, threads_per_input);
    own->SortByPlace();
    {
      const std::scoped_lock lock(mutex);
      read[index] = std::move(own);
      for (; num_appended < read.size() && read[num_appended] != nullptr; ++num_appended) {
        AppendSession(*read[num_appended], nullptr, session);
        read[num_appended] = nullptr;
      }
    }
    appended.notify_all();
  });
  return failures;
}

/// Digests the text of one input.
struct DigestSink final : LineSink {
  void OnLines(std::string_view lines, uint64_t) override { digest.update(lines); }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    digest.update(piece);
    if (is_last) digest.update("\n");
    return piece.size();
  }

  llvm::MD5 digest;
};

/// The digest of the decompressed contents of `name`; absent: it cannot be read completely.
std::optional<std::string> DigestOf(const std::string& name, FileSource& files) {
  DigestSink sink;
  Stats stats;
  TextTotals totals;
  if (Error error = files.Read(name, sink, stats, 0, totals)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (stats.count(Stat::archive_damaged).times > 0) return std::nullopt;
  llvm::MD5::MD5Result result;
  sink.digest.final(result);
  return std::string(result.digest());
}

/// Finds inputs that would count twice: files that are named twice, and a log and its compressed
/// copy, whose texts are compared before either is read.
class RepeatedNames {
 public:
  RepeatedNames(FileSource& files, std::vector<std::string>* notes)
      : files_(files), notes_(notes) {}

  /// Whether `name` repeats an earlier one.
  bool IsRepeated(const std::string& name) {
    if (name == "-") return false;
    llvm::SmallString<256> path(name);
    llvm::sys::path::remove_dots(path);
    if (!paths_.insert(path).second) {
      Note(MakePrintable(name) + " is named more than once and is read once");
      return true;
    }
    llvm::StringRef stem = path;
    if (!stem.consume_back(".gz")) stem.consume_back(".zst");
    const auto [first, is_new] = by_stem_.try_emplace(stem, name);
    if (is_new || !HaveSameText(first->second, name)) return false;
    Note(MakePrintable(name) + " has the same text as " + MakePrintable(first->second) +
         " and is not read");
    return true;
  }

 private:
  bool HaveSameText(const std::string& a, const std::string& b) {
    const auto digest = DigestOf(a, files_);
    return digest && digest == DigestOf(b, files_);
  }

  void Note(std::string note) {
    if (notes_ != nullptr) notes_->push_back(std::move(note));
  }

  FileSource& files_;
  std::vector<std::string>* notes_;
  llvm::StringSet<> paths_;
  llvm::StringMap<std::string> by_stem_;
};

size_t ThreadsFor(llvm::ArrayRef<std::string> names, const ReadOptions& options) {
  // Standard input that is named twice is read once.
  if (llvm::count(names, "-") > 1) return 1;
  return std::min(MaxThreads(options), names.size());
}

std::vector<std::string> ReadAll(const std::vector<std::string>& paths, FileSource& files,
                                 Session& session, const ReadOptions& options) {
  std::vector<std::string> failures;
  std::vector<std::string> names;
  std::vector<size_t> places;  // of each name's failure
  RepeatedNames repeated(files, options.notes);
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(path);
    if (!expanded) {
      failures.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    for (std::string& name : *expanded) {
      if (repeated.IsRepeated(name)) continue;
      names.push_back(std::move(name));
      places.push_back(failures.size());
      failures.emplace_back();
    }
  }
  if (names.size() == 1) {
    failures[places[0]] = ReadOne(names[0], files, session, options, MaxThreads(options));
  } else {
    std::vector<std::string> messages =
        ReadSideBySide(names, files, options, ThreadsFor(names, options), session);
    for (size_t i = 0; i < names.size(); ++i) failures[places[i]] = std::move(messages[i]);
  }
  std::erase(failures, std::string());
  session.SortByPlace();
  ReconcileLogsAndTraces(session);
  return failures;
}

}  // namespace

std::vector<std::string> ReadInputs(const std::vector<std::string>& paths, FileSource& files,
                                    Session& session, const ReadOptions& options) {
  if (options.redactor == nullptr) return ReadAll(paths, files, session, options);
  Session open;
  std::vector<std::string> failures = ReadAll(paths, files, open, options);
  RedactSession(open, *options.redactor, session);
  const auto rewrite = [&](std::string& text) {
    text = options.redactor->Rewrite(TextKind::kProse, text);
  };
  llvm::for_each(failures, rewrite);
  if (options.notes != nullptr) llvm::for_each(*options.notes, rewrite);
  return failures;
}

bool HoldsMessages(std::string_view format) {
  return llvm::any_of(BuiltinFormats(), [&](const LogFormat* known) {
    return known->name == format && known->holds_messages;
  });
}

void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options, MaxThreads(options));
  Stats on_the_way;
  sink.Finish(ReadChunks(chunks, sink, on_the_way, index));
  session.stats().Add(on_the_way);
  session.SortByPlace();
}

}  // namespace shapewise
