// The inputs of a call to one code object: sizes after padding, marks of call and policy together.

#ifndef SHAPEWISE_DYNAMO_CALL_INPUTS_H_
#define SHAPEWISE_DYNAMO_CALL_INPUTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamo/body.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "model/call_history.h"
#include "model/compile_policy.h"

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

/// The value of one input of a code object in one call.
struct InputValue {
  CallValue value;                      ///< kUnknown: not recorded, or it depends on data
  const InputTensor* tensor = nullptr;  ///< of kTensor
};
using InputRow = llvm::SmallVector<InputValue, 8>;

/// One input of a code object, in order of first use.
struct FrameInput {
  std::string name;  ///< as printed in guards
  SourceUse use = SourceUse::kUnknown;
  uint32_t source = 0;                   ///< of CallHistory::sources, in the first frame
  const ResumeInput* resumed = nullptr;  ///< in the others
};

/// The inputs of every code object of a body, call by call.
class CallInputs {
 public:
  /// All four must outlive it; `tensors` are those of `history`.
  CallInputs(const CallHistory& history, const HistoryTensors& tensors, const BodyFacts& body,
             const CompilePolicy& policy);
  CallInputs(const CallInputs&) = delete;
  CallInputs& operator=(const CallInputs&) = delete;
  ~CallInputs();

  const std::vector<FrameInput>& InputsOf(uint32_t frame) const { return frames_[frame]; }
  /// How long filled-in values stay valid. The tensor values of a resume function stay valid until
  /// the same frame is filled in again; their sizes and strides last longer.
  enum class Lifetime : uint8_t {
    kCall,        ///< until the next row is filled in
    kSimulation,  ///< as long as this
  };
  /// Fills in the inputs of `frame` in a call of `signature`. With Lifetime::kSimulation the same
  /// tensor is always the same object.
  void Fill(uint32_t frame, uint32_t signature, InputRow& row, Lifetime lifetime);
  /// The value of `expression`, whose symbols name places of `frame`'s inputs; absent: not known.
  std::optional<int64_t> Evaluate(ExprId expression, uint32_t frame, const InputRow& row);
  /// The place in `frame`'s inputs from which the symbol `place` takes its value.
  struct Place {
    enum class Property : uint8_t { kUnknown, kValue, kSize, kStride, kOffset };
    Property property = Property::kUnknown;
    uint32_t input = 0;
    size_t dim = 0;
  };
  const Place& PlaceOf(ExprId place, uint32_t frame);

  /// The size that dim `dim` of input `input` of a frame has in every call that brings a tensor
  /// there; absent: several, unknown, or one lacks the dim.
  std::optional<int64_t> OnlySize(uint32_t frame, uint32_t input, size_t dim);

  std::string_view TextOf(StrId id) const { return history_.strings.text(id); }
  StrId StateOf(uint32_t signature) const { return history_.signatures[signature].state; }
  const BodyFacts& body() const { return body_; }

 private:
  struct Override;
  struct ResumedFrame;
  const InputTensor* TensorOf(uint32_t source, uint32_t index);
  std::optional<int64_t> FindOnlySize(uint32_t source, size_t dim) const;
  static int64_t PaddedSize(const Override& override, size_t dim, int64_t size);
  static void Pad(Override& override);
  static void Mark(Override& override);
  void FillResumed(uint32_t frame, uint32_t signature, InputRow& row);
  InputValue ResumedValue(const ResumeInput& input, uint32_t signature, uint32_t properties,
                          InputTensor& tensor, std::vector<int64_t>& dims);
  InputValue SourceValue(uint32_t source, uint32_t signature);
  uint32_t DerivedProperties(uint32_t signature);
  llvm::ArrayRef<int64_t> Keep(llvm::ArrayRef<int64_t> values);

  const CallHistory& history_;
  const HistoryTensors& tensors_;
  const BodyFacts& body_;
  Lifetime lifetime_ = Lifetime::kCall;
  std::vector<std::vector<FrameInput>> frames_;
  std::vector<llvm::StringMap<uint32_t>> names_;      ///< by frame: name to input
  std::vector<FrameInput> sources_;                   ///< of the history
  std::vector<uint32_t> override_of_;                 ///< by source; 0: none
  std::vector<std::unique_ptr<Override>> overrides_;  ///< [0]: null
  std::map<std::vector<uint32_t>, uint32_t> derived_properties_;
  std::map<std::pair<uint32_t, ExprId>, Place> places_;
  std::map<std::pair<uint32_t, size_t>, std::optional<int64_t>> only_sizes_;
  std::vector<std::unique_ptr<ResumedFrame>> resumed_;  ///< by frame
  llvm::BumpPtrAllocator arena_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CALL_INPUTS_H_
