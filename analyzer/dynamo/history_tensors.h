// The tensors of a history as compiles and guards see them, before a policy marks or pads them.

#ifndef SHAPEWISE_DYNAMO_HISTORY_TENSORS_H_
#define SHAPEWISE_DYNAMO_HISTORY_TENSORS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "model/call_history.h"

namespace shapewise {

constexpr size_t kMarkKinds = 4;

/// The marks on one tensor.
struct TensorMarks {
  std::vector<DimMark> marks;                         ///< in the order in which they were given
  std::array<std::vector<int32_t>, kMarkKinds> dims;  ///< by MarkKind: ascending
  std::vector<DimMark> bounds;                        ///< of kUnbacked with a bound: dim ascending

  bool Has(MarkKind kind, size_t dim) const;
  /// The last mark of `kind` on `dim`; null: none.
  const DimMark* Find(MarkKind kind, size_t dim) const;
};

TensorMarks MarksOf(std::vector<DimMark> marks);

/// A tensor as a compile or a guard sees it.
struct InputTensor {
  /// Equal numbers: the same class, dtype, device, dispatch keys and requires_grad.
  uint32_t properties = 0;
  bool are_properties_derived = false;  ///< from other tensors: different numbers may mean the same
  bool is_parameter = false;
  uint32_t object = 0;  ///< equal and not 0: the same tensor object within one call
  int64_t storage_offset = 0;
  llvm::ArrayRef<int64_t> sizes;
  llvm::ArrayRef<int64_t> strides;
  const TensorMarks* marks = nullptr;  ///< null: none
};

/// All tensors of a history, built once for every policy that is tried on it. Sizes and strides are
/// in one array in the order of the tensors, because a simulation visits them in about that order.
class HistoryTensors {
 public:
  /// `history` must outlive it.
  explicit HistoryTensors(const CallHistory& history);
  HistoryTensors(const HistoryTensors&) = delete;
  HistoryTensors& operator=(const HistoryTensors&) = delete;

  /// By index into CallHistory::tensors.
  const InputTensor& tensor(uint32_t index) const { return tensors_[index]; }

 private:
  /// dtype, device and class of InputTensor.
  struct Properties {
    uint32_t number = 0;
    bool is_parameter = false;
  };
  using PropertyKey = std::tuple<StrId, StrId, StrId, StrId, bool>;
  const Properties& PropertiesOf(const CallHistory& history, const TensorValue& tensor);

  std::vector<InputTensor> tensors_;
  std::vector<int64_t> dims_;
  std::vector<std::unique_ptr<TensorMarks>> marks_;
  std::map<PropertyKey, Properties> properties_;
  PropertyKey last_key_;
  const Properties* last_properties_ = nullptr;  ///< of `last_key_`: most tensors are alike
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_HISTORY_TENSORS_H_
