// Number of cache entries per function.

#ifndef SHAPEWISE_CAUSES_CACHE_ENTRIES_H_
#define SHAPEWISE_CAUSES_CACHE_ENTRIES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "model/compile_number.h"
#include "model/event.h"
#include "model/session.h"

namespace shapewise {

/// Whether the compilation ended with guarded code, that is, an entry for later calls.
inline bool AddsEntry(const Compilation& compilation) {
  return compilation.is_finished && (compilation.outcome == CompileOutcome::kGraph ||
                                     compilation.outcome == CompileOutcome::kEmptyGraph);
}

/// The cache entries of one function.
class CacheEntries {
 public:
  /// Counts `compilation`, if it left an entry.
  void Add(const Compilation& compilation, const Session& session) {
    if (AddsEntry(compilation)) AddEntry(compilation, session);
  }
  /// Guards are printed for entries only.
  void Add(const PrintedGuards& printed, const Session& session) { AddEntry(printed, session); }

  /// The largest number in one frame of one process. Ids that repeat after torch._dynamo.reset()
  /// count once.
  uint64_t Most() const {
    uint64_t most = 0;
    for (const auto& [frame, compiles] : frames_) most = std::max<uint64_t>(most, compiles.size());
    return most;
  }

 private:
  template <typename Compiled>
  void AddEntry(const Compiled& compiled, const Session& session) {
    const auto number = ParseCompileNumber(session.text(compiled.compile_id));
    if (!number) return;
    frames_[{ProcessOf(compiled), number->frame}].insert(number->compile);
  }

  std::map<std::pair<ProcessKey, uint32_t>, std::set<uint32_t>> frames_;  // by number of the frame
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CACHE_ENTRIES_H_
