// What differs between the printed guards of two entries of one code object.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_GUARD_CHANGES_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_GUARD_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapewise {

/// The guards of one entry as they are printed.
class EntryGuards {
 public:
  /// Adds one guard; the comment behind it is left out.
  void Add(std::string_view guard);

  /// Bytes of text.
  size_t bytes() const { return text_.size(); }

  /// The guards of `before` that this entry has with another value, at most kMaxChanged of them.
  /// A guard that both have holds for the call that compiled this entry, so it is not the one that
  /// failed in `before`; a guard that only one of them has may be missing because the log is cut.
  std::vector<std::string> ChangedSince(const EntryGuards& before) const;

  static constexpr size_t kMaxChanged = 8;

 private:
  std::vector<std::string_view> Sorted() const;

  std::string text_;
  std::vector<std::pair<size_t, size_t>> guards_;  // begin in text_, size
};

/// The changed guards of the entries of one input.
struct GuardChanges {
  struct Change {
    std::string entry;                ///< the one whose guards they are: "0/0"
    std::vector<std::string> guards;  ///< EntryGuards::ChangedSince
  };
  /// By rank and compile id without its attempt; the first of each.
  std::map<std::pair<int32_t, std::string>, Change> by_id;
  size_t kept_bytes = 0;  ///< of all EntryGuards that wait for the entry behind them
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_GUARD_CHANGES_H_
