// Decides which guard failures have the same culprit, whatever their wording.

#ifndef SHAPEWISE_CAUSES_CULPRIT_KEY_H_
#define SHAPEWISE_CAUSES_CULPRIT_KEY_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/session.h"

namespace shapewise {

/// The key that all failures of one culprit share. A size mismatch, the range that replaces it once
/// the dim is dynamic, and the bound that excludes 0 and 1 from that range are one group, as are a
/// number that was a constant and the range of the same number, and a tensor that is missing where
/// one was expected or the other way round.
struct CulpritKey {
  GuardClass group = GuardClass::kEmpty;  ///< kSize, kInt, kNone or the class itself
  uint32_t source = 0;  ///< number of the source, independent of its spelling; 0: none
  int32_t dim = -1;

  friend auto operator<=>(const CulpritKey&, const CulpritKey&) = default;
};

/// The group of `guard_class` in a CulpritKey, for a culprit with or without these parts.
GuardClass GroupOf(GuardClass guard_class, bool has_source, bool has_dim);

/// Whether a guard of this class is a relation, which only a symbol has.
inline bool IsRelation(GuardClass guard_class) {
  return guard_class == GuardClass::kSymbolic || guard_class == GuardClass::kZeroOne;
}

/// Whether the entry expected a tensor and the call passed None.
bool IsMissingTensor(const Session& session, const Reason& reason);

/// Keys of the reasons of one session; looks each source up once.
class CulpritKeys {
 public:
  explicit CulpritKeys(const Session& session) : session_(session) {}

  CulpritKey KeyOf(const Reason& reason);

 private:
  uint32_t SourceNumber(StrId source);

  const Session& session_;
  std::vector<uint32_t> number_of_text_;  // by StrId; kUnknown: not looked up yet
  std::unordered_map<std::string, uint32_t> numbers_;
};

/// Whether `a` describes the culprit more precisely than `b`, for two classes of one group.
bool IsMoreSpecific(GuardClass a, GuardClass b);

/// Whether `guard`, a relation of sizes, holds for one quotient of a size only: "(1 +
/// (x.size()[1] // 640)) == 3", the number of pieces of a `split`. Each quotient has a graph then.
bool FixesQuotient(std::string_view guard);

/// Index of the reason that explains this compile: that of the newest entry, as older entries
/// repeat old causes. Without entry ids the first printed is the newest. `reasons` is not empty.
size_t NewestReason(const Session& session, const std::vector<ReasonId>& reasons);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CULPRIT_KEY_H_
