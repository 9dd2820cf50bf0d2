// Why a size that had varied was compiled as a constant all the same.

#ifndef SHAPEWISE_CAUSES_CONSTANT_SIZE_H_
#define SHAPEWISE_CAUSES_CONSTANT_SIZE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "history/code_object_history.h"
#include "model/session.h"
#include "model/source_ref.h"
#include "result/place.h"

namespace shapewise {

/// What made a size that had varied a constant; the words of "constant_by".
enum class ConstantBy : uint8_t {
  kNothing,  ///< "nothing": no entry has it as a constant after it had varied
  kUnknown,  ///< "unknown": the log does not show it
  kCode,     ///< "code": it was a symbol, and the traced code or an operator needed its value
  kSetting,  ///< "setting": it never was a symbol, as with dynamic=False
  kMark,     ///< "mark": mark_static made it a constant
};
/// The word of it in rules.
std::string_view ConstantByName(ConstantBy by);

/// What made a size a constant, and where.
struct ConstantSize {
  ConstantBy by = ConstantBy::kUnknown;
  Place place = {};  ///< kCode: the line that needs the value; empty: not recorded
};

/// Reads why entries have sizes as constants, from the symbols that a trace or TORCH_LOGS=dynamic
/// records.
class ConstantSizes {
 public:
  explicit ConstantSizes(const Session& session);

  /// The entries that failed on one size in one miss: the newest for each value.
  using EntriesByValue = std::map<int64_t, uint32_t>;

  /// Adds to `entries` the entry that failed for `reason`; absent: it is not known which. Once they
  /// have two values, the size had varied, and the newer entry has it as a constant all the same:
  /// returns why. Absent: not known to be a constant. 0 and 1 always are
  /// (torch.fx.experimental.symbolic_shapes, specialize_zero_one).
  std::optional<ConstantSize> Add(const CodeObjectHistory& function, const Reason& reason,
                                  std::optional<uint32_t> entry, EntriesByValue& entries) const;

 private:
  /// Why the entry `number` of `function` has `size`, a size of an argument with the value `value`,
  /// as a constant. The size had another value in an earlier attempt, and `value` is at least 2.
  ConstantSize Find(const CodeObjectHistory& function, uint32_t number, const SourceRef& size,
                    std::string_view value) const;

  /// Whether the guards of `attempt` say that mark_static marked the size.
  bool IsMarkedStatic(const CompileAttempt& attempt, const SourceRef& size) const;

  const Session& session_;
  std::set<uint32_t> with_symbols_;       ///< inputs that record the creation of symbols
  bool is_release_with_symbols_ = false;  ///< all traces of this release do
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CONSTANT_SIZE_H_
