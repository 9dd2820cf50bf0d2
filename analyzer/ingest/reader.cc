// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "shapewise/ingest/reader.h"

#include <string>
#include <utility>

#include "ingest/retold_events.h"
#include "ingest/sniffing_sink.h"
#include "shapewise/redact/redact.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

std::vector<std::string> ReadAll(const std::vector<std::string>& paths, FileSource& files,
                                 Session& session, const ReadOptions& options) {
  std::vector<std::string> failures;
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> names = files.Expand(path);
    if (!names) {
      failures.push_back(llvm::toString(names.takeError()));
      continue;
    }
    for (const std::string& name : *names) {
      const uint32_t index = session.AddInput(name);
      SniffingSink sink(session, index, options);
      const uint64_t num_damaged = session.stats().count(Stat::archive_damaged).times;
      Expected<TextTotals> totals = files.Read(name, sink, session.stats(), index);
      sink.Finish(totals ? *totals : TextTotals());
      std::string failure = sink.failure();
      if (!failure.empty()) failure = "cannot read " + MakePrintable(name) + ": " + failure;
      if (!totals) {
        failure = llvm::toString(totals.takeError());
      } else if (totals->bytes == 0 &&
                 session.stats().count(Stat::archive_damaged).times > num_damaged) {
        failure = "cannot read " + MakePrintable(name) + ": a damaged archive, from its start on";
      }
      if (failure.empty()) continue;
      session.stats().Bump(Stat::input_unreadable, index, 0);
      failures.push_back(std::move(failure));
    }
  }
  DropRetoldEvents(session);
  session.SortByPlace();
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

void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options);
  const TextTotals totals = ReadChunks(chunks, sink, session.stats(), index);
  sink.Finish(totals);
  session.SortByPlace();
}

}  // namespace shapewise
