// The inversion of "each failing entry says why it failed": which culprit took which values.

#ifndef SHAPEWISE_CAUSES_VALUE_HISTORY_H_
#define SHAPEWISE_CAUSES_VALUE_HISTORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/session.h"

namespace shapewise {

/// The values of one culprit by the compile that was made for them, for a stretch of one process in
/// which compile ids only rise. A cache entry is known by the id of its compile, so what an entry
/// expected is the value of that compile, and the value that did not fit is that of the new
/// compile.
class ValueHistory {
 public:
  /// Notes what `reason` tells: the value that `entry` was compiled for, where its number is known,
  /// and the one that came to the new compile `compile`. Views point into the session.
  void Add(const Session& session, const Reason& reason, std::optional<uint32_t> entry,
           uint32_t compile);

  /// The value of one compile; empty where no reason told it.
  std::string_view ValueOf(uint32_t compile) const;

  /// Forgets the values of the compiles after `compile`.
  void DropAfter(uint32_t compile) { values_.erase(values_.upper_bound(compile), values_.end()); }

  /// By compile number.
  const std::map<uint32_t, std::string_view>& values() const { return values_; }

 private:
  std::map<uint32_t, std::string_view> values_;
};

/// The histories of one culprit in one process, one after the other.
using ValueHistories = std::vector<const ValueHistory*>;

/// The values in order, equal neighbours once.
std::vector<std::string_view> ValuesInOrder(const ValueHistories& histories);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_HISTORY_H_
