// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "shapewise/ingest/reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/log_format.h"
#include "ingest/reconcile/log_and_trace.h"
#include "ingest/sniffing_sink.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/model/append_session.h"
#include "shapewise/redact/redact.h"
#include "shapewise/support/in_parallel.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

/// How many threads there may be.
size_t MaxThreads(const ReadOptions& options) {
  return options.jobs > 0 ? options.jobs : NumProcessors();
}

/// Reads the one input `name` into `session`, with so many threads. What kept it from being read;
/// empty: nothing.
std::string ReadOne(const std::string& name, FileSource& files, Session& session,
                    const ReadOptions& options, size_t num_threads) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options, num_threads);
  Stats on_the_way;  // the session's own may be in use by another thread until Finish()
  TextTotals totals;
  Error error = files.Read(name, sink, on_the_way, index, totals);
  sink.Finish(totals);
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

/// Reads inputs side by side, each into a session of its own, and puts these behind each other in
/// the order of the inputs: the answer does not depend on how many threads there are.
class SideBySideReading {
 public:
  SideBySideReading(llvm::ArrayRef<std::string> names, FileSource& files,
                    const ReadOptions& options)
      : names_(names), files_(files), options_(options), read_(names.size()) {}

  /// With so many threads, into `session`. Gives what ReadOne gives, one an input.
  std::vector<std::string> Run(size_t num_threads, Session& session) {
    threads_per_input_ = MaxThreads(options_) / std::max<size_t>(num_threads, 1);
    std::vector<std::string> failures;
    std::vector<std::thread> threads;
    try {
      for (size_t i = 0; i < num_threads; ++i) threads.emplace_back([this] { Read(); });
    } catch (const std::system_error&) {
      // The system has no more threads: fewer do the same, or this one alone.
    }
    if (threads.empty()) {
      for (const std::string& name : names_) {
        failures.push_back(ReadOne(name, files_, session, options_, /*num_threads=*/1));
      }
      return failures;
    }
    for (std::unique_ptr<ReadInput>& input : read_) {
      std::unique_ptr<ReadInput> done;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return input != nullptr; });
        done = std::move(input);
        ++num_taken_;
      }
      changed_.notify_all();
      AppendSession(done->session, nullptr, session);
      failures.push_back(std::move(done->failure));
    }
    for (std::thread& thread : threads) thread.join();
    return failures;
  }

 private:
  /// So many inputs may wait for one before them: many small ones behind a large one would
  /// otherwise all be in memory.
  static constexpr size_t kMaxWaiting = 256;

  struct ReadInput {
    Session session;
    std::string failure;
  };

  void Read() {
    for (;;) {
      size_t index = 0;
      {
        std::unique_lock lock(mutex_);
        if (num_begun_ == names_.size()) return;
        index = num_begun_++;
        changed_.wait(lock, [&] { return index < num_taken_ + kMaxWaiting; });
      }
      auto input = std::make_unique<ReadInput>();
      input->failure = ReadOne(names_[index], files_, input->session, options_, threads_per_input_);
      input->session.SortByPlace();
      {
        const std::scoped_lock lock(mutex_);
        read_[index] = std::move(input);
      }
      changed_.notify_all();
    }
  }

  const llvm::ArrayRef<std::string> names_;
  FileSource& files_;
  const ReadOptions& options_;
  size_t threads_per_input_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t num_begun_ = 0;
  size_t num_taken_ = 0;
  std::vector<std::unique_ptr<ReadInput>> read_;
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
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(path);
    if (!expanded) {
      failures.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    for (std::string& name : *expanded) {
      names.push_back(std::move(name));
      places.push_back(failures.size());
      failures.emplace_back();
    }
  }
  if (names.size() == 1) {
    failures[places[0]] = ReadOne(names[0], files, session, options, MaxThreads(options));
  } else {
    SideBySideReading reading(names, files, options);
    std::vector<std::string> told = reading.Run(ThreadsFor(names, options), session);
    for (size_t i = 0; i < names.size(); ++i) failures[places[i]] = std::move(told[i]);
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
  for (std::string& failure : failures) {
    failure = options.redactor->Rewrite(TextKind::kProse, failure);
  }
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
