// Builds a CallHistory call by call.

#ifndef SHAPEWISE_MODEL_CALL_HISTORY_BUILDER_H_
#define SHAPEWISE_MODEL_CALL_HISTORY_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "model/call_history.h"

namespace shapewise {

/// Fills one CallHistory. Equal tensors and equal calls are stored once.
///
/// \code
///   CallHistoryBuilder builder(history);
///   builder.Set(builder.Source(CallHistoryBuilder::kNoParent, "L['n']"), value);
///   builder.EndCall(RecordedCall(), StrId::kNone);
///   builder.Finish();
/// \endcode
class CallHistoryBuilder {
 public:
  /// Parent of sources that are arguments themselves.
  static constexpr uint32_t kNoParent = ~uint32_t{0};
  /// The number of a source beyond the limits; setting it does nothing.
  static constexpr uint32_t kNoSource = kNoParent - 1;

  /// Limits on sources, values and calls, beyond which they are dropped: otherwise a hostile input
  /// could use memory that grows with the square of its size or faster.
  static constexpr size_t kMaxSources = 4096;
  static constexpr size_t kMaxValues = size_t{1} << 24;
  static constexpr size_t kMaxCalls = size_t{1} << 26;

  explicit CallHistoryBuilder(CallHistory& history) : history_(history) {}

  /// The number of the source printed as `text` within `parent`; a new source follows the existing
  /// ones of its parent.
  uint32_t Source(uint32_t parent, std::string_view text);

  /// Sets the value of `source` in the current call. Sources that are not set are absent.
  void Set(uint32_t source, const CallValue& value);
  void SetTensor(uint32_t source, const TensorValue& tensor);

  /// Ends the call, which occurred `times` times in a row. False: there is no room for it.
  bool EndCall(RecordedCall call, StrId state, uint64_t times = 1);

  /// Repeats a call from an earlier EndCall `times` times. False: there is no room for it.
  bool RepeatCall(RecordedCall call, uint64_t times) {
    if (times > kMaxCalls - history_.calls.size()) {
      is_incomplete_ = true;
      return false;
    }
    history_.calls.insert(history_.calls.end(), times, call);
    return true;
  }

  /// Discards the current call.
  void DropCall() { values_.clear(); }

  /// Sorts sources in argument order, with parts directly after their argument. Call once, last.
  void Finish();

  StringPool& strings() { return history_.strings; }

  /// Whether some source or call was dropped.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  CallHistory& history_;
  // Children by source; those without a parent come last.
  std::vector<std::vector<uint32_t>> children_;
  std::vector<uint32_t> arguments_;
  llvm::StringMap<uint32_t> sources_;
  std::unordered_multimap<uint64_t, uint32_t> tensors_;     // by hash
  std::unordered_multimap<uint64_t, uint32_t> signatures_;  // by hash
  std::vector<CallValue> values_;                           // of the current call
  size_t num_values_ = 0;
  bool is_incomplete_ = false;
};

/// Strides of a contiguous tensor, in elements. As in PyTorch, a size of 0 counts as 1.
std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_CALL_HISTORY_BUILDER_H_
