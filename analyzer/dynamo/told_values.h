// What the records of one code object tell of the inputs of its calls that missed, and the history
// of calls that follows from it.

#ifndef SHAPEWISE_DYNAMO_TOLD_VALUES_H_
#define SHAPEWISE_DYNAMO_TOLD_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "history/code_object_history.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// Sizes that are not told, the same in all calls, get numbers from here on, one each: so that no
/// two are equal by chance, and none is 0, 1 or a size that is seen often.
inline constexpr int64_t kFirstUntoldSize = 10007;

/// Guards that hold no value are sources of their own, and their names begin so.
inline constexpr std::string_view kGuardPrefix = "guard ";

/// The source that holds what differed in a miss of which the log does not say why.
inline constexpr std::string_view kUntoldSource = "guard (not printed)";

/// What one attempt tells of one source that is a tensor.
struct ToldTensor {
  std::map<int32_t, int64_t> sizes;  ///< by dim
  std::map<int32_t, int64_t> strides;
  std::optional<int32_t> rank;  ///< number of dims
  std::optional<int64_t> storage_offset;
  std::string dtype;  ///< "torch.float32"; empty: not told, as for the rest
  std::string device;
  std::string type;
  std::optional<std::string> keys;
  std::optional<bool> requires_grad;
  std::vector<DimMark> marks;
  bool is_marks_told = false;
};

/// What one attempt tells of one source that is no tensor.
struct ToldScalar {
  CallValue::Kind kind = CallValue::Kind::kOpaque;
  int64_t integer = 0;
  double number = 0;
  std::string text;

  friend bool operator==(const ToldScalar&, const ToldScalar&) = default;
};

/// All that is told of one source, by number of the attempt.
struct ToldSource {
  std::string name;  ///< "L['x']"
  std::map<uint32_t, ToldTensor> tensors;
  std::map<uint32_t, ToldScalar> scalars;
  /// Values that it did not have; which one it had may not be told.
  std::map<uint32_t, std::vector<ToldScalar>> others;
  /// Classes: "int" where entries were made for one, and those that it was not of.
  std::map<uint32_t, std::string> types;
  std::map<uint32_t, std::vector<std::string>> other_types;
  std::string about;  ///< of a guard that is a source of its own: the source that it asks
};

/// Collects values from the records and makes a history of them. The history has a value for each
/// source in each attempt; sources beyond kMaxSources, and beyond kMaxValues values, are left out.
class ToldValues {
 public:
  static constexpr size_t kMaxSources = 4096;
  static constexpr size_t kMaxValues = size_t{1} << 20;
  static constexpr size_t kMinSources = 64;  ///< taken however many attempts there are
  static constexpr size_t kMaxRelations = 16;

  ToldValues(const Session& session, const CodeObjectHistory& function);

  /// In order of appearance.
  const std::vector<ToldSource>& sources() const { return sources_; }

  /// The relations on sizes that entries failed for reasons other than 0/1 and duck sizing, each
  /// once, as printed; at most kMaxRelations.
  const std::vector<std::string>& failed_relations() const { return failed_relations_; }

  /// The source printed as `name`; null: nothing is told of it.
  const ToldSource* Find(std::string_view name) const;

  /// Numbers of the attempts, ascending; Fill() gives each one call.
  const std::vector<uint32_t>& attempts() const { return attempts_; }
  /// Whether the log tells that this was a miss and nothing of why.
  bool IsUntold(uint32_t attempt) const { return untold_.contains(attempt); }
  size_t num_untold() const { return untold_.size(); }
  /// Whether every attempt behind the first comes with the guards that failed.
  bool tells_all_reasons() const { return tells_all_reasons_; }

  /// Fills `history` with one call an attempt: what is told, and where nothing is told what the
  /// attempt before had, for a miss names what differs and not what is the same. A miss of which
  /// nothing is told is unlike all calls before.
  void Fill(CallHistory& history) const;

 private:
  void AddReason(const Reason& reason, std::optional<uint32_t> entry, uint32_t attempt);
  void AddState(const EventDetail& detail, uint32_t attempt);
  void AddGuards(const GuardTexts& guards, uint32_t attempt);
  void AddTensorGuard(const ShapeGuard& guard, uint32_t attempt);
  void AddSymbols(const std::vector<SymbolFact>& symbols, uint32_t attempt);
  void AddShapes(const std::vector<InputShape>& shapes, uint32_t attempt);
  ToldSource* Source(std::string_view name);
  ToldTensor* Tensor(std::string_view name, uint32_t attempt);

  const Session& session_;
  const CodeObjectHistory& function_;
  size_t max_sources_ = kMaxSources;
  std::vector<uint32_t> attempts_;
  std::set<uint32_t> untold_;
  bool tells_all_reasons_ = true;
  std::vector<std::string> failed_relations_;
  std::vector<ToldSource> sources_;
  std::map<std::string, size_t, std::less<>> source_ids_;
  std::map<uint32_t, std::string> states_;  // by attempt; absent: as the attempt before
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_TOLD_VALUES_H_
