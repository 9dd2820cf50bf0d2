// An input as read, with short ways to ask for what a test is about.

#ifndef SHAPEWISE_TESTS_SUPPORT_READ_LOG_H_
#define SHAPEWISE_TESTS_SUPPORT_READ_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/reader.h"

namespace shapewise {

/// One log, paste or trace.
class ReadLog {
 public:
  explicit ReadLog(std::string_view log, const std::string& name = "train.log",
                   const ReadOptions& options = {}) {
    ReadInputFromChunks(name, {log}, session_, options);
  }

  const Session& session() const { return session_; }
  size_t size() const { return session_.events().size(); }
  const Event& event(size_t index = 0) const { return session_.events().at(index); }
  const EventDetail& detail(size_t index = 0) const { return session_.detail(event(index)); }
  std::string kind(size_t index) const { return std::string(EventKindName(detail(index).kind())); }
  const Reason& reason(size_t index, size_t which) const {
    return session_.reason(detail(index).reasons().at(which));
  }
  const Compilation& compilation(size_t index) const { return session_.compilations().at(index); }
  std::string text(StrId id) const { return std::string(session_.text(id)); }
  uint64_t count(Stat stat) const { return session_.stats().count(stat).times; }

  /// Every event in a word or two: "recompile f 0/1".
  std::vector<std::string> Events() const {
    std::vector<std::string> texts;
    for (const Event& event : session_.events()) {
      const EventDetail& detail = session_.detail(event);
      std::string shown(EventKindName(detail.kind()));
      if (detail.function != StrId::kNone) shown += " " + text(detail.function);
      texts.push_back(shown + " " + text(event.compile_id));
    }
    return texts;
  }

 private:
  Session session_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_READ_LOG_H_
