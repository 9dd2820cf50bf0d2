// Collects the values of a culprit from the reasons that each failing entry gives.

#ifndef SHAPEWISE_CAUSES_VALUE_HISTORY_H_
#define SHAPEWISE_CAUSES_VALUE_HISTORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"

namespace shapewise {

/// The values of one culprit by the compile that was made for them, for a stretch of one process in
/// which compile ids only rise. The id of a cache entry is the id of its compile, so the value that
/// an entry expected is the value of that compile, and the value that did not match is that of the
/// new compile.
class ValueHistory {
 public:
  /// Stores the values in `reason`: the value that `entry` was compiled for, if its number is
  /// known, and the one of the new compile `compile`.
  void Add(const Session& session, const Reason& reason, std::optional<uint32_t> entry,
           uint32_t compile);

  /// The value of one compile; empty if no reason contains it.
  std::string_view ValueOf(uint32_t compile) const;

  /// Whether a guard shows that the value is a constant of this entry, not dynamic in it.
  bool IsConstantIn(uint32_t entry) const { return constant_in_.contains(entry); }

  /// Whether two compiles were made for the same value, as far as the reasons show. The ids of
  /// objects are no values that are shown, but can be compared.
  std::optional<bool> Agree(uint32_t a, uint32_t b) const;

  /// Whether a value came back after another one.
  bool Alternates() const;
  /// Whether a value becomes None in a later compile.
  bool BecomesNone() const;

  /// Removes the values of the compiles after `compile`.
  void DropAfter(uint32_t compile) { values_.erase(values_.upper_bound(compile), values_.end()); }

  /// By compile number.
  const std::map<uint32_t, std::string>& values() const { return values_; }

 private:
  std::map<uint32_t, std::string> values_;
  std::map<uint32_t, StrId> identities_;
  std::set<uint32_t> constant_in_;  // entries
  // By value, the compiles for another one that no reason shows.
  std::map<std::string, std::set<uint32_t>, std::less<>> others_;
};

/// The histories of one culprit in one process, in order.
using ValueHistories = std::vector<const ValueHistory*>;

/// The values in order, without consecutive duplicates; views into the histories.
std::vector<std::string_view> ValuesInOrder(const ValueHistories& histories);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_HISTORY_H_
