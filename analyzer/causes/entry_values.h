// The constants that the printed guards of a function's cache entries name.

#ifndef SHAPEWISE_CAUSES_ENTRY_VALUES_H_
#define SHAPEWISE_CAUSES_ENTRY_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "causes/cause.h"
#include "history/code_object_history.h"
#include "model/session.h"

namespace shapewise {

/// The values of arguments of one function, and of items of arguments.
class EntryValues {
 public:
  /// Notes the printed guards of `history`, a history of the function.
  void Add(const CodeObjectHistory& history);

  /// Adds facts to `cause`, a recompile of the function, if an argument other than its culprit has
  /// a new value in each entry, so that no entry is used again: its name ("unique_value") and its
  /// first values ("unique_values").
  void AddFacts(const Session& session, Cause& cause);

 private:
  struct Unique {
    std::string source;  ///< as in Python
    std::string values;  ///< the first of them, and in how many entries
  };

  void FindUnique(const Session& session);

  uint32_t num_entries_ = 0;                    ///< with printed guards
  std::map<StrId, std::vector<StrId>> values_;  ///< by source, each that differs from the last
  std::optional<std::vector<Unique>> unique_;   ///< absent: not yet looked for
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_ENTRY_VALUES_H_
