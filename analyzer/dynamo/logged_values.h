// The inputs of missed calls according to the records of one code object, and the history of calls
// derived from them.

#ifndef SHAPEWISE_DYNAMO_LOGGED_VALUES_H_
#define SHAPEWISE_DYNAMO_LOGGED_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "history/code_object_history.h"
#include "model/call_history.h"
#include "model/session.h"

namespace shapewise {

/// Unknown sizes that are the same in all calls get numbers from here on, one each: no two are
/// equal by chance, and none is 0, 1 or a common size.
inline constexpr int64_t kFirstUnknownSize = 10007;

/// Guards without a value are sources of their own, and their names start with this.
inline constexpr std::string_view kGuardPrefix = "guard ";

/// The source for whatever differed in a miss without a reason in the log.
inline constexpr std::string_view kUnexplainedSource = "guard (not printed)";

/// Data from one attempt about one source that is a tensor.
struct LoggedTensor {
  std::map<int32_t, int64_t> sizes;  ///< by dim
  std::map<int32_t, int64_t> strides;
  std::optional<int32_t> rank;  ///< number of dims
  std::optional<int64_t> storage_offset;
  std::string dtype;  ///< "torch.float32"; empty: unknown, also for the fields below
  std::string device;
  std::string type;
  std::optional<std::string> keys;
  std::optional<bool> requires_grad;
  std::vector<DimMark> marks;
  bool has_marks = false;
};

/// Data from one attempt about one source that is not a tensor.
struct LoggedScalar {
  CallValue::Kind kind = CallValue::Kind::kOpaque;
  int64_t integer = 0;
  double number = 0;
  std::string text;

  friend bool operator==(const LoggedScalar&, const LoggedScalar&) = default;
};

/// All data about one source, by number of the attempt.
struct LoggedSource {
  std::string name;  ///< "L['x']"
  std::map<uint32_t, LoggedTensor> tensors;
  std::map<uint32_t, LoggedScalar> scalars;
  /// Values that it did not have; the actual one may be unknown.
  std::map<uint32_t, std::vector<LoggedScalar>> others;
  /// Classes: "int" if entries were made for one, and those that it was not an instance of.
  std::map<uint32_t, std::string> types;
  std::map<uint32_t, std::vector<std::string>> other_types;
  std::string about;  ///< for a guard that is a source of its own: the source that it checks
};

/// Collects values from the records and builds a history from them. The history has a value for
/// each source in each attempt; sources beyond kMaxSources, and beyond kMaxValues values, are
/// dropped.
class LoggedValues {
 public:
  static constexpr size_t kMaxSources = 4096;
  static constexpr size_t kMaxValues = size_t{1} << 20;
  static constexpr size_t kMinSources = 64;  ///< kept however many attempts there are
  static constexpr size_t kMaxRelations = 16;

  LoggedValues(const Session& session, const CodeObjectHistory& function);

  /// In order of appearance.
  const std::vector<LoggedSource>& sources() const { return sources_; }

  /// The relations on sizes that failed in entries for reasons other than 0/1 and duck sizing, each
  /// once, as printed; at most kMaxRelations.
  const std::vector<std::string>& failed_relations() const { return failed_relations_; }

  /// The source printed as `name`; null: no data about it.
  const LoggedSource* Find(std::string_view name) const;

  /// Numbers of the attempts, ascending; Fill() gives each one call.
  const std::vector<uint32_t>& attempts() const { return attempts_; }
  /// Whether the log shows a miss without a reason.
  bool IsUnexplained(uint32_t attempt) const { return unexplained_.contains(attempt); }
  size_t num_unexplained() const { return unexplained_.size(); }
  /// Whether every attempt after the first has the guards that failed.
  bool has_all_reasons() const { return has_all_reasons_; }

  /// Fills `history` with one call per attempt. A value without data is that of the attempt before,
  /// because a miss names differences only. A miss without any data differs from all calls before.
  void Fill(CallHistory& history) const;

 private:
  void AddReason(const Reason& reason, std::optional<uint32_t> entry, uint32_t attempt);
  void AddState(const EventDetail& detail, uint32_t attempt);
  void AddGuards(const GuardTexts& guards, uint32_t attempt);
  void AddTensorGuard(const ShapeGuard& guard, uint32_t attempt);
  void AddSymbols(const std::vector<SymbolFact>& symbols, uint32_t attempt);
  void AddShapes(const std::vector<InputShape>& shapes, uint32_t attempt);
  LoggedSource* Source(std::string_view name);
  LoggedTensor* Tensor(std::string_view name, uint32_t attempt);

  const Session& session_;
  const CodeObjectHistory& function_;
  size_t max_sources_ = kMaxSources;
  std::vector<uint32_t> attempts_;
  std::set<uint32_t> unexplained_;
  bool has_all_reasons_ = true;
  std::vector<std::string> failed_relations_;
  std::vector<LoggedSource> sources_;
  std::map<std::string, size_t, std::less<>> source_ids_;
  std::map<uint32_t, std::string> states_;  // by attempt; absent: same as in the attempt before
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_LOGGED_VALUES_H_
