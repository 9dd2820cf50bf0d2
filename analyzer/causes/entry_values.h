// The constants that the printed guards of a function's cache entries name.

#ifndef SHAPEWISE_CAUSES_ENTRY_VALUES_H_
#define SHAPEWISE_CAUSES_ENTRY_VALUES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "causes/cause.h"
#include "history/code_object_history.h"
#include "model/session.h"

namespace shapewise {

/// The values of one argument, or item of one, by its source.
class EntryValues {
 public:
  /// Notes the printed guards of `history`, a history of the function.
  void Add(const CodeObjectHistory& history);

  /// Adds what the guards say about `cause`, a recompile of the function: "unique_value", another
  /// argument that has a new value in each entry, so that no entry is used again; "repeats", that
  /// few values of the culprit are in many entries, so that it is not what fills the cache.
  void AddFacts(const Session& session, Cause& cause) const;

 private:
  struct Values {
    std::vector<StrId> in_order;  ///< distinct
    uint32_t num_entries = 0;
  };

  uint32_t num_entries_ = 0;  ///< with printed guards
  std::map<StrId, Values> values_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_ENTRY_VALUES_H_
