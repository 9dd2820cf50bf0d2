// Why a size that had varied was compiled as a constant all the same.

#ifndef SHAPEWISE_CAUSES_CONSTANT_SIZE_H_
#define SHAPEWISE_CAUSES_CONSTANT_SIZE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "history/code_object_history.h"
#include "model/session.h"
#include "model/source_ref.h"
#include "result/place.h"

namespace shapewise {

/// What made a size that had varied a constant; the words of "constant_by".
enum class ConstantBy : uint8_t {
  kNothing,  ///< "nothing": no entry has it as a constant after it had varied
  kUnknown,  ///< "unknown": the log does not show it
  kLate,  ///< "late": not shown; tensors that some calls lack may have come in as constants that it
          ///< has to equal
  kTied,  ///< "tied": it had to equal the size of a tensor that was still a constant
  kCode,  ///< "code": it was a symbol, and the traced code or an operator needed its value
  kSetting,  ///< "setting": it never was a symbol, as with dynamic=False
  kMark,     ///< "mark": mark_static made it a constant
};
/// The word of it in rules.
std::string_view ConstantByName(ConstantBy by);

/// What made a size a constant, and where.
struct ConstantSize {
  ConstantBy by = ConstantBy::kUnknown;
  Place place = {};  ///< kCode, kTied: the line that asks; empty: not recorded
  /// kTied: the size that it had to equal, "L['mask'].size()[1]"; kLate: the tensors.
  std::vector<StrId> partners = {};
};

/// Reads why entries have sizes as constants, from the symbols that a trace or TORCH_LOGS=dynamic
/// records.
class ConstantSizes {
 public:
  /// `functions`: the histories of `session`, which need not outlive the constructor.
  ConstantSizes(const Session& session, const std::vector<CodeObjectHistory>& functions);

  /// The entries that failed on one size in one miss: the newest for each value.
  using EntriesByValue = std::map<int64_t, uint32_t>;

  /// Adds to `entries` the entry that failed for `reason` in the miss that led to the compile
  /// `number`; absent: it is not known which. Once they have two values, the size had varied, and
  /// the newer entry has it as a constant all the same: returns why. Else why the compile `number`
  /// made it one, where the log shows that. Absent: not known to be a constant. 0 and 1 always are
  /// (torch.fx.experimental.symbolic_shapes, specialize_zero_one).
  std::optional<ConstantSize> Add(const CodeObjectHistory& function, const Reason& reason,
                                  std::optional<uint32_t> entry, uint32_t number,
                                  EntriesByValue& entries) const;

 private:
  /// The part of Add that compares entries.
  std::optional<ConstantSize> Compare(const CodeObjectHistory& function, const Reason& reason,
                                      std::optional<uint32_t> entry, EntriesByValue& entries) const;

  /// What made the size, on which an entry failed for `reason`, a constant in the entry `number`
  /// which has the value `text` of it: kCode or kTied. Absent: the log does not show that it is
  /// one.
  std::optional<ConstantSize> FindPinned(const CodeObjectHistory& function, const Reason& reason,
                                         uint32_t number, StrId text) const;

  /// Why the entry `number` of `function` has `size`, a size of an argument with the value `value`,
  /// as a constant. The size had another value in an earlier attempt, and `value` is at least 2.
  ConstantSize Find(const CodeObjectHistory& function, uint32_t number, const SourceRef& size,
                    std::string_view value) const;

  /// The size that `size`, which the entry `number` has as a constant, had to equal there: a later
  /// attempt, in which both are symbols, asks whether they are equal. kNone: the log shows none.
  StrId FindTie(const CodeObjectHistory& function, uint32_t number, const SourceRef& size) const;

  /// Tensors that some calls lack, and that the newest of `entries` may take and the oldest may
  /// lack.
  std::vector<StrId> LateTensors(const CodeObjectHistory& function,
                                 const EntriesByValue& entries) const;

  /// Whether the guards of `attempt` say that mark_static marked the size.
  bool IsMarkedStatic(const CompileAttempt& attempt, const SourceRef& size) const;

  const Session& session_;
  std::set<uint32_t> with_symbols_;          ///< inputs that record the creation of symbols
  std::set<size_t> functions_with_symbols_;  ///< those with a symbol in the log, by first event
  bool is_release_with_symbols_ = false;     ///< all traces of this release do
  /// The entries that take a tensor, and those that take None instead, as far as guards fail on it.
  struct OptionalTensor {
    std::set<uint32_t> with;
    std::set<uint32_t> without;
  };
  /// By the first event of the function, and by source.
  std::map<size_t, std::map<StrId, OptionalTensor>> optional_tensors_;
};

/// A size that a compilation made a constant, as its symbols show.
struct PinnedDim {
  std::string source;  ///< of the tensor: "L['x']"
  int32_t dim = -1;
  std::string value;
  const SymbolFact* question = nullptr;  ///< that asks for the value; null: not recorded
};

/// Finds the sizes that compilations made constants although they were to vary.
class PinnedDims {
 public:
  explicit PinnedDims(const Session& session);

  /// The one of `source` and `dim` in the compilation of `event`; with an empty `source` the only
  /// one. Absent: none is known.
  std::optional<PinnedDim> Find(const Event& event, std::string_view source, int32_t dim) const;

 private:
  const Session& session_;
  /// By input, rank and compile id.
  std::map<std::tuple<uint32_t, int32_t, StrId>, const std::vector<SymbolFact>*> facts_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CONSTANT_SIZE_H_
